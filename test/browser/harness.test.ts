import { expect, test } from 'vitest'
import { launchBrowser } from '../harness/browser.ts'

test('the Chromium of the npm package renders a page with text that has a width', async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent('<button style="font: 16px sans-serif">Approve as shown</button>')
    const box = await page.getByRole('button', { name: 'Approve as shown' }).boundingBox()
    expect(box?.width).toBeGreaterThan(80)
  } finally {
    await browser.close()
  }
})
