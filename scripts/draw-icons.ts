import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser } from '#test/harness/browser.ts'

const folder = join(import.meta.dirname, '..', 'src', 'ui', 'public')

/** How the mark is drawn into a picture of a size. */
interface Icon {
  readonly name: string
  readonly size: number
  /** the share of the width for the mark; the background fills the rest */
  readonly share: number
  /** only the strokes, because the status bar of a phone uses only their shape */
  readonly isShape?: boolean
}

const icons: readonly Icon[] = [
  { name: 'icon-192.png', size: 192, share: 1 },
  { name: 'icon-512.png', size: 512, share: 1 },
  // Phones crop these to a mask, so the mark is within the inner 80 %.
  { name: 'icon-180.png', size: 180, share: 0.84 },
  { name: 'icon-maskable-512.png', size: 512, share: 0.72 },
  { name: 'icon-badge.png', size: 96, share: 1.2, isShape: true },
]

/** `node scripts/run.mjs scripts/draw-icons.ts`: makes the app's icons from the mark again. */
const mark = await readFile(join(folder, 'favicon.svg'), 'utf8')
const browser = await launchBrowser()
for (const { name, size, share, isShape = false } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const ground = isShape ? '' : '<rect width="100%" height="100%" fill="#3b49b8"/>'
  const strokes = isShape
    ? mark.replace(/<rect[^>]*>/, '').replaceAll(/stroke="#\w+"/g, 'stroke="#fff"')
    : mark
  const at = (size * (1 - share)) / 2
  const placed = strokes.replace(
    '<svg ',
    `<svg x="${at}" y="${at}" width="${size * share}" height="${size * share}" `,
  )
  const behind = share === 1 ? '' : ground
  await page.setContent(
    `<style>html,body{margin:0;background:transparent}svg{display:block}</style>
     <svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${behind}${placed}</svg>`,
  )
  await writeFile(join(folder, name), await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
