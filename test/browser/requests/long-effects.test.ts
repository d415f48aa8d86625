import { expect, test } from 'vitest'
import { ask, openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const dashboard = disposeAfterTests(await openDashboard())

async function open(path: string, content: string) {
  const input = { path, content }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'As asked.')
  return dashboard.open('Grace', `/requests/${requestIds[0]}`)
}

// Rules: product.md 26; security.md 17
test('the sentence counts the lines that are on the page, and blank runs use up no place on it', async () => {
  const lines = Array.from({ length: 5001 }, (_, index) => `line ${index + 1}`)
  const page = await open('notes/long.md', `${lines.join('\n')}\n`)
  await page.getByText('2,000 of 5,001 lines are on this page').waitFor()
  expect(await page.getByText('nothing left out').count()).toBe(0)
  const more = page.getByRole('button', { name: /2,000 of the 3,001 lines/ })
  await more.click()
  await page.getByText('4,000 of 5,001 lines are on this page').waitFor()
  await page.getByRole('button', { name: /the 1,001 lines that are left/ }).click()
  await page.getByText(/5,001 lines, .* shown, nothing left out/).waitFor()

  // No button is drawn in the place of a single line.
  const oneMore = await open('notes/one-more.md', `${lines.slice(0, 2001).join('\n')}\n`)
  await oneMore.getByText(/2,001 lines, .* shown, nothing left out/).waitFor()
  const fourThousandAndOne = lines.slice(0, 4001)
  const twoSteps = await open('notes/two-steps.md', `${fourThousandAndOne.join('\n')}\n`)
  await twoSteps.getByRole('button', { name: 'Show the 2,001 lines that are left' }).click()
  await twoSteps.getByText(/4,001 lines, .* shown, nothing left out/).waitFor()

  const blank = await open('notes/blank.md', `first\n${'\n'.repeat(4000)}last\n`)
  await blank.getByRole('button', { name: '4000 blank lines (show them)' }).waitFor()
  await blank.getByText('last', { exact: true }).waitFor()
  await blank.getByText(/4,002 lines, .* shown, nothing left out/).waitFor()
})

// Rules: security.md 35
test('a file that is indented anew is one fold with its count, and opens to both sides', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `row ${index + 1}`)
  await dashboard.desk.write('notes/indent.md', `${lines.join('\n')}\n`)
  const page = await open('notes/indent.md', `${lines.map((line) => `  ${line}`).join('\n')}\n`)
  await page.getByText('300 lines that change in white space alone.', { exact: true }).waitFor()
  const fold = page.getByRole('button', { name: '300 lines that change in white space alone' })
  expect(await page.locator('.diff-code-delete, .diff-code-insert').count()).toBe(0)
  await fold.click()
  await page.locator('.diff-code-delete', { hasText: 'row 300' }).waitFor()
  await page.locator('.diff-code-insert', { hasText: 'row 300' }).waitFor()
})

// Rules: security.md 20
test('a mask covers no part of what a shell would read', async () => {
  const page = await open(
    'notes/mask.md',
    'echo https://a:;sh<run.sh;@b\nurl https://u:s3cretword@db\n',
  )
  const effect = page.getByRole('region', { name: 'All that will happen' })
  await effect.getByText('echo https://a:;sh<run.sh;@b').waitFor()
  expect(await effect.locator('.chip-secret').allTextContents()).toEqual([
    'password in an address, 10 characters · show',
  ])
})
