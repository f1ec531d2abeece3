// Tabs by the pattern of ARIA: arrows, Home and End move between them, and one of them is in the order of Tab.

/** Makes the tabs of a list work; `opened` is called with the tab that opens. Gives a function that opens a tab. */
export function tablist(list, opened) {
  const all = () => [...list.querySelectorAll('[role="tab"]')].filter((tab) => !tab.hidden);
  const open = (tab) => {
    for (const each of all()) {
      const isOpen = each === tab;
      each.setAttribute('aria-selected', String(isOpen));
      each.tabIndex = isOpen ? 0 : -1;
    }
    opened(tab);
  };
  list.addEventListener('click', ({ target }) => {
    const tab = target.closest('[role="tab"]');
    if (tab) open(tab);
  });
  list.addEventListener('keydown', (event) => {
    const tabs = all();
    const here = tabs.indexOf(event.target);
    const last = tabs.length - 1;
    const target = {
      ArrowRight: here === last ? 0 : here + 1,
      ArrowLeft: here === 0 ? last : here - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (here < 0 || target === undefined) return;
    event.preventDefault();
    tabs[target].focus();
    open(tabs[target]);
  });
  return open;
}
