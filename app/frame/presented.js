// What a page in front of a hall gives the presenter's page around it (app/hall/pool.js): its
// picture.

const WIDTH = 1280; // pixels
const MOST = 200 * 1024; // bytes
const QUALITIES = [0.85, 0.6, 0.35];

async function picture() {
  const main = document.querySelector(".stMainBlockContainer");
  const scale = Math.min(1, WIDTH / main.clientWidth);
  for (const quality of QUALITIES) {
    const found = await pixels(main, scale, "image/webp", quality);
    if (found.size <= MOST) return found;
  }
  return pixels(main, scale / 2, "image/webp", QUALITIES[0]);
}

export default component("", {
  start() {
    window.glassformerPicture = picture;
  },
});
