import { expect, test } from 'vitest'
import { encode } from 'uqr'
import type { Page } from 'playwright-core'
import { openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'

const dashboard = disposeAfterTests(await openDashboard())

/** The dark modules of the code on the page, as a reader samples its picture. */
async function modulesOf(page: Page): Promise<string[]> {
  const code = page.getByRole('img', { name: 'QR code of the sign-in link' })
  await code.scrollIntoViewIfNeeded()
  const picture = (await code.screenshot()).toString('base64')
  const size = Number((await code.getAttribute('viewBox'))?.split(' ')[2])
  return page.evaluate(
    async ({ source, count }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${source}`
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context?.drawImage(image, 0, 0)
      const step = image.width / count
      return Array.from({ length: count }, (_, y) =>
        Array.from({ length: count }, (_, x) => {
          const at = [(x + 0.5) * step, (y + 0.5) * step].map(Math.floor)
          const pixel = context?.getImageData(at[0] ?? 0, at[1] ?? 0, 1, 1).data ?? [255]
          return (pixel[0] ?? 255) < 128 ? '1' : '0'
        }).join(''),
      )
    },
    { source: picture, count: size },
  )
}

// Rules: security.md 38
test('the code on the account page signs a phone in as oneself, once, and is audited', async () => {
  const page = await dashboard.open('Grace', '/account')
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('button', { name: 'Sign in another device' }).click()
  const command = (await sessions.getByText(/^countersign login/).textContent()) ?? ''
  const url = /"(.+)"/.exec(command)?.[1] ?? ''
  const expected = encode(url, { ecc: 'M', border: 4 }).data
  expect(await modulesOf(page)).toEqual(
    expected.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join('')),
  )
  const link = sessions.getByRole('group', { name: 'Sign-in link' })
  expect(await link.evaluate((it) => it === document.activeElement)).toBe(true)
  const phone = await dashboard.openSignedOut(url.slice(dashboard.url.length))
  await phone.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  const another = await dashboard.openSignedOut(url.slice(dashboard.url.length))
  await another.getByRole('heading', { name: 'This link does not sign you in' }).waitFor()
  const made = await rowsOf(
    dashboard.desk.database.db,
    'audit_event',
    { type: 'credential.changed' },
    'document',
  )
  expect(JSON.stringify(made)).toContain('link_created')
  expect(JSON.stringify(made)).not.toContain(url.split('link=')[1])
  // The code has done its work: the page says so by itself, and gives the focus back.
  await sessions
    .getByRole('alert')
    .getByText(/ is signed in\.$/)
    .waitFor()
  const button = sessions.getByRole('button', { name: 'Sign in another device' })
  await expect.poll(() => button.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(await sessions.getByRole('listitem').count()).toBe(2)
  expect(dashboard.complaints).toEqual([])
})

test('a code that nobody used is there as long as its link works, and the page asks no longer whether it was used', async () => {
  const page = await dashboard.open('Linus', '/account')
  await page.clock.install()
  let reads = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && /\/v1\/sessions\b/.test(request.url())) reads += 1
  })
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('button', { name: 'Sign in another device' }).click()
  const link = sessions.getByRole('group', { name: 'Sign-in link' })
  await link.waitFor()
  await page.clock.fastForward('14:00')
  expect(await link.count()).toBe(1)
  await page.clock.fastForward('01:00')
  await sessions.getByRole('alert').getByText('The link no longer works.').waitFor()
  expect(await link.count()).toBe(0)
  expect(reads).toBeGreaterThan(0)
  // The stream of events, which was idle meanwhile, may have it read once more.
  const readsBefore = reads
  // A page that still asked would ask in each step, because the step before has its answer.
  for (let step = 0; step < 6; step += 1) {
    const answer = page.waitForResponse(/\/v1\/sessions\b/, { timeout: 500 }).catch(() => null)
    await page.clock.runFor(2_000)
    await (await answer)?.finished()
  }
  expect(reads - readsBefore).toBeLessThan(3)
})
