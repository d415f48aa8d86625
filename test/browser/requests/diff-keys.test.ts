import { expect, test } from 'vitest'
import { ask, openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const dashboard = disposeAfterTests(await openDashboard())

async function openDiff() {
  await dashboard.desk.write('notes/diff.md', 'before\n')
  const input = { path: 'notes/diff.md', content: 'after\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.locator('.diff').first().waitFor()
  return page
}

test('V marks a file as viewed and takes that back, with a box that says which, and N leads to the file', async () => {
  const page = await openDiff()
  const viewed = page.getByRole('button', { name: 'Viewed', pressed: true })
  const unviewed = page.getByRole('button', { name: 'Viewed', pressed: false })
  await unviewed.waitFor()
  const empty = await unviewed.locator('svg').innerHTML()
  await page.keyboard.press('n')
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('file')
  await page.keyboard.press('v')
  await viewed.waitFor()
  expect(await viewed.locator('svg').innerHTML()).not.toBe(empty)
  await page.keyboard.press('v')
  await unviewed.waitFor()
  await unviewed.click()
  await viewed.waitFor()
  // The mark is there after a reload, and for the same person alone.
  await page.reload()
  await viewed.waitFor()
  const linus = await dashboard.open('Linus', new URL(page.url()).pathname)
  await linus.getByRole('button', { name: 'Viewed', pressed: false }).waitFor()
})

test('S sets both versions beside each other, which a reload remembers', async () => {
  const page = await openDiff()
  await page.locator('.diff-unified').waitFor()
  await page.keyboard.press('s')
  await page.locator('.diff-split').waitFor()
  await page.reload()
  await page.locator('.diff-split').waitFor()
  expect(await page.getByRole('radio', { name: 'Split' }).isChecked()).toBe(true)
  await page.keyboard.press('s')
  await page.locator('.diff-unified').waitFor()
})
