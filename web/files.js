// Answers from files: dropped on the page, or chosen in a dialog.

const KILO = 1024;

/** The text of a file, or an error whose message is for the reader. */
async function textOf(file, limit) {
  if (file.size > limit) {
    throw new Error(
      `${file.name} has ${sizeOf(file.size)}, and the page takes ${sizeOf(limit)}. Use the command instead: citewire convert ${file.name}`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is no text: drop the JSON or the stream that a back end has answered.`);
  }
}

export function sizeOf(bytes) {
  if (bytes < KILO) return `${bytes} bytes`;
  const [size, unit] = bytes < KILO * KILO ? [bytes / KILO, 'KiB'] : [bytes / KILO / KILO, 'MiB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}

/**
 * Takes files that are dropped on an element, and those chosen by an input. `taken` gets the text and the name, `refused` the
 * words why there is none.
 */
export function takeFiles(zone, input, limit, taken, refused) {
  const take = async (files) => {
    const [file, ...others] = files;
    if (!file) return;
    try {
      taken(await textOf(file, limit), file.name);
      if (others.length > 0) refused(`Only ${file.name} was read: one answer fits here.`);
    } catch (error) {
      refused(error.message);
    }
  };
  const isOfFiles = (event) => event.dataTransfer?.types.includes('Files');
  // A file that misses the zone would replace the page.
  for (const name of ['dragover', 'drop']) {
    document.addEventListener(name, (event) => isOfFiles(event) && event.preventDefault());
  }
  let depth = 0;
  const mark = (by) => zone.classList.toggle('is-over', (depth = Math.max(0, depth + by)) > 0);
  zone.addEventListener('dragenter', (event) => isOfFiles(event) && mark(1));
  zone.addEventListener('dragleave', (event) => isOfFiles(event) && mark(-1));
  zone.addEventListener('drop', (event) => {
    if (!isOfFiles(event)) return;
    mark(-depth);
    take([...event.dataTransfer.files]);
  });
  input.addEventListener('change', () => {
    take([...input.files]);
    // The same file can be chosen again.
    input.value = '';
  });
}
