// What readers with weak eyes need: measured in the page, by WCAG 2.

/** The contrast of each text with the ground it stands on. */
export function contrasts(elements) {
  // Colours that are on their way to another one are measured where they arrive.
  for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish();
  const parts = (colour) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return elements.map((element) => {
    const [bright, dim] = [light(parts(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    return [element.textContent.trim().slice(0, 40), (bright + 0.05) / (dim + 0.05)];
  });
}
