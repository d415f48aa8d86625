import { expect, test } from 'vitest'
import { ask, openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard

// Rules: product.md 38
test('a menu whose script comes after the page opens by keyboard and pointer, names its button, and gives the focus back', async () => {
  const page = await dashboard.open('Grace', '/')
  const button = page.getByRole('button', { name: 'Signed in as Grace' })
  expect(await button.getAttribute('aria-haspopup')).toBe('menu')
  expect(await button.getAttribute('aria-expanded')).toBe('false')
  await button.focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu', { name: 'Grace' })
  await menu.waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  expect(await button.getAttribute('aria-controls')).toBe(await menu.getAttribute('id'))
  const account = page.getByRole('menuitem', { name: 'Your account' })
  await expect.poll(() => account.evaluate((it) => it === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await expect.poll(() => button.evaluate((it) => it === document.activeElement)).toBe(true)
  await button.click()
  await menu.waitFor()
  await button.click()
  await menu.waitFor({ state: 'detached' })
  await button.click()
  await menu.waitFor()
  await page.mouse.click(5, 400)
  await menu.waitFor({ state: 'detached' })
})

test('a press before the script of a menu is there opens the menu when it has come, which gives the focus back', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const isHere = Promise.withResolvers<void>()
  await page.route(/person-items/, async (route) => {
    await isHere.promise
    await route.continue()
  })
  await page.goto(`${dashboard.url}/`)
  const button = page.getByRole('button', { name: 'Signed in as Grace' })
  await button.click()
  expect(await page.getByRole('menu').count()).toBe(0)
  isHere.resolve()
  const account = page.getByRole('menuitem', { name: 'Your account' })
  await account.waitFor()
  await expect.poll(() => account.evaluate((it) => it === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => button.evaluate((it) => it === document.activeElement)).toBe(true)
})

// Rules: product.md 38
test('a page stays as it is without the scripts of menus and hints, and a person who opens a menu is told', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const scripts = /(person-items|hint-bubble|key-menu|snooze-menu)-/
  await page.route(scripts, (route) => route.abort())
  await page.goto(`${dashboard.url}/`)
  const heading = page.getByRole('heading', { name: 'Inbox' })
  await heading.waitFor()
  const button = page.getByRole('button', { name: 'Signed in as Grace' })
  await button.click()
  await page.getByText('This menu could not be loaded').waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('false')
  const asked = page.waitForRequest(/hint-bubble-/)
  await page.getByRole('button', { name: 'Keyboard commands' }).hover()
  await asked
  expect(await heading.isVisible()).toBe(true)
  await page.unroute(scripts)
  await page.reload()
  await button.click()
  await page.getByRole('menuitem', { name: 'Your account' }).waitFor()
})

test('keys that are pressed before the script of an open menu is there do nothing else, and Escape closes it', async () => {
  const { requestIds } = await ask(
    desk,
    [{ tool: 'write_file', input: { path: 'notes/early.md', content: 'Text\n' } }],
    'A note.',
  )
  const page = await dashboard.open('Grace', '/policy')
  const isHere = Promise.withResolvers<void>()
  await page.route(/snooze-menu-/, async (route) => {
    await isHere.promise
    await route.continue()
  })
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  const snooze = page.getByRole('button', { name: 'Snooze' })
  await snooze.waitFor()
  await page.keyboard.press('h')
  await expect.poll(() => snooze.getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('d')
  expect(await page.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(false)
  await page.keyboard.press('Escape')
  await expect.poll(() => snooze.getAttribute('aria-expanded')).toBe('false')
  expect(new URL(page.url()).pathname).toContain('/requests/')
  isHere.resolve()
  await page.keyboard.press('h')
  await page.getByRole('menu').waitFor()
})

// Rules: product.md 38
test('a button without words says what it does under the pointer until the pointer leaves or Escape is pressed', async () => {
  desk.say({
    text: 'A note.',
    calls: [{ tool: 'write_file', input: { path: 'notes/hint.md', content: 'Text\n' } }],
  })
  const { runId } = await desk.startTurn({ input: 'Write a note' })
  const [call] = await desk.calls(runId, 1)
  const page = await dashboard.open('Grace', `/requests/${call?.requestId ?? ''}`)
  const hint = page.getByRole('tooltip')
  await page.getByRole('button', { name: 'Copy the link' }).hover()
  await hint.waitFor()
  expect(await hint.textContent()).toBe('Copy the link')
  await page.mouse.move(5, 400)
  await hint.waitFor({ state: 'detached' })
  await page.getByRole('status').filter({ hasText: 'Live' }).hover()
  await hint.waitFor()
  expect(await hint.textContent()).toBe('Changes appear as they happen.')
  await page.keyboard.press('Escape')
  await hint.waitFor({ state: 'detached' })
})

test('the number of requests stands between two words of the list of pages, which has no hole without it', async () => {
  const input = { path: 'notes/counted.md', content: 'Text\n' }
  await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  for (const [who, numbers] of [
    ['Olga', 0],
    ['Grace', 1],
  ] as const) {
    const page = await dashboard.open(who, '/runs')
    await page.locator('.run-row').first().waitFor()
    const number = page.locator('.count')
    await expect.poll(() => number.count()).toBe(numbers)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      // From the end of a word to the begin of the next one.
      const [inbox, runs, insights] = await page.locator('.pages a').evaluateAll((links) =>
        links.map((link) => {
          const words = document.createRange()
          words.selectNode(link.firstChild ?? link)
          const { left, right } = words.getBoundingClientRect()
          return { left, right }
        }),
      )
      const gap = (runs?.left ?? 0) - (inbox?.right ?? 0)
      const usual = (insights?.left ?? 0) - (runs?.right ?? 0)
      expect(gap, `${who} at ${width} px`).toBeLessThan(usual + 24)
      if (numbers === 0) continue
      const box = await number.boundingBox()
      expect(box?.x).toBeGreaterThan(inbox?.right ?? Number.NaN)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(runs?.left ?? 0)
      expect(box?.height).toBeLessThan(24)
      // A number of two digits does not reach the line below the next word.
      await number.evaluate((it) => it.firstChild?.replaceWith('12'))
      const line = await page.locator('.pages a.active').evaluate((link) => {
        const { left } = link.getBoundingClientRect()
        return left + Number.parseFloat(getComputedStyle(link, '::after').left)
      })
      const long = await number.boundingBox()
      expect((long?.x ?? Number.NaN) + (long?.width ?? 0)).toBeLessThanOrEqual(line)
    }
  }
})
