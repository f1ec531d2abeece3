// Pictures of pages that tests look at.

/** The browser has drawn nothing that it could show: the page was opened just before, on a machine with much to do. */
const NOT_DRAWN = /Unable to capture screenshot/;

/** How long a browser may take until it has drawn a page. */
const LIMIT_MS = 20_000;

/** A page or a part of one, as it is drawn now: the bytes of a PNG. */
export async function pictureOf(part, options) {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      return await part.screenshot(options);
    } catch (error) {
      if (!NOT_DRAWN.test(error.message) || Date.now() > end) throw error;
    }
  }
}
