import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard
await desk.activate({
  'countersign.yaml': `${deskConfig}routing:
  - { when: { path: 'notes/high*' }, risk: high }
`,
})
await desk.write('notes/high.md', '# Title\n\nOld line\nSame\n')
const { runId, requestIds } = await ask(
  desk,
  [writeCall('notes/high.md', '# Title\n\nNew line\nSame\n'), writeCall('notes/low.md')],
  'Two notes.',
)

/** Each page with what stands on it when it is there. */
const pages = [
  ['the inbox', '/', '.request-row'],
  ['a request', `/requests/${requestIds[0]}`, '.choices'],
  ['a run', `/runs/${runId}`, '.call'],
  ['a new run', '/runs/new?worker=scribe', '.start-preview'],
] as const

async function go(page: Page, path: string, ready: string): Promise<void> {
  await page.goto(dashboard.url + path)
  await page.locator(ready).first().waitFor()
  if (path.startsWith('/runs/') && !path.includes('new')) {
    await page
      .getByRole('button', { name: /^Decide #/ })
      .first()
      .click()
    await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  }
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

const isRequest = (path: string): boolean => path.startsWith('/requests/')

/** What of the page goes beyond the screen, or is cut off in what holds it. */
async function lostOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lost: string[] = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) lost.push(`the page is ${scrollWidth - clientWidth} px wider`)
    const scrolls = (element: Element | null): boolean => {
      if (element === null) return false
      const { overflowX } = getComputedStyle(element)
      return overflowX === 'auto' || overflowX === 'scroll' || scrolls(element.parentElement)
    }
    for (const element of document.querySelectorAll(
      'main :is(button, a, label, input, h1, h2, h3, p, select, textarea)',
    )) {
      const box = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      if (box.width < 2 || style.visibility === 'hidden') continue
      const what = `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`
      if ((box.left < -1 || box.right > clientWidth + 1) && !scrolls(element)) lost.push(what)
      // An ellipsis says of itself that there is more.
      const isCut = element.scrollHeight > element.clientHeight + 4 && element.clientHeight > 0
      if (isCut && style.overflowY === 'hidden' && style.textOverflow !== 'ellipsis') {
        const isFolded = style.getPropertyValue('-webkit-line-clamp') !== 'none'
        if (!isFolded && element.tagName !== 'TEXTAREA') lost.push(`cut: ${what}`)
      }
    }
    return lost
  })
}

test.each([1000, 1100, 1130, 1201, 1280])(
  'the search button at %i pixels has all of its words on one line, or its picture only',
  async (width) => {
    const page = await dashboard.open('Grace', '/', { viewport: { width, height: 800 } })
    const words = page.locator('.palette-words')
    await words.waitFor({ state: 'attached' })
    const { height, line, isHidden, cutBy } = await words.evaluate((it) => ({
      height: it.getBoundingClientRect().height,
      line: parseFloat(getComputedStyle(it).lineHeight),
      isHidden: it.clientWidth <= 1,
      cutBy: it.scrollWidth - it.clientWidth,
    }))
    expect(isHidden).toBe(width <= 1120)
    expect(height).toBeLessThan(line * 1.5)
    if (!isHidden) expect(cutBy).toBe(0)
  },
)

/** The controls that Tab reaches, of which nothing shows that they have the focus. */
async function unmarkedStops(page: Page, stops: number): Promise<string[]> {
  const unmarked: string[] = []
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const { activeElement } = document
      if (activeElement === null || activeElement === document.body) return null
      const hasOutline = (element: Element, pseudo?: string): boolean => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudo)
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
      }
      const { parentElement } = activeElement
      const isMarked =
        hasOutline(activeElement) ||
        hasOutline(activeElement, '::after') ||
        (parentElement !== null && hasOutline(parentElement)) ||
        activeElement.closest('.choice:focus-within') !== null
      return isMarked ? null : activeElement.outerHTML.slice(0, 160)
    })
    if (found !== null) unmarked.push(found)
  }
  return unmarked
}

test.each(pages)(
  '%s with forced colours shows the focus, and says in other ways what its colours say',
  async (_, path, ready) => {
    const page = await dashboard.open('Grace', '/account')
    await page.emulateMedia({ forcedColors: 'active' })
    await go(page, path, ready)
    expect(await unmarkedStops(page, 30)).toEqual([])
    expect(await lostOn(page)).toEqual([])
    // Risk and state are words, lines of a difference have signs, and what is chosen has an edge.
    for (const risk of await page.locator('main .risk').all()) {
      expect(await risk.innerText()).toMatch(/High|Medium|Low/)
    }
    const radio = page.getByRole('radio', { name: 'Deny', exact: true })
    if ((await radio.count()) > 0) {
      await radio.check()
      const outline = await page
        .locator('.choice:has(:checked)')
        .evaluate((it) => getComputedStyle(it).outlineStyle)
      expect(outline).toBe('solid')
      const signs = await page.locator('main tr, main .line').allInnerTexts()
      expect(signs.join('\n')).toContain('+')
    }
  },
)

test('a ticked box, a switch and its state differ from what is around them with forced colours', async () => {
  const page = await dashboard.open('Grace', '/account')
  await page.emulateMedia({ forcedColors: 'active' })
  const fill = (of: Locator): Promise<string> =>
    of.evaluate((it) => getComputedStyle(it).backgroundColor)
  const canvas = await fill(page.locator('body'))
  const box = page.getByLabel('Push the end of requests of runs that you started')
  expect(await box.isChecked()).toBe(true)
  expect(await fill(box)).not.toBe(canvas)
  const quiet = page.locator('.mantine-Switch-body', { hasText: 'Quiet hours' })
  const track = quiet.locator('.mantine-Switch-track')
  expect(await track.evaluate((it) => getComputedStyle(it).borderTopStyle)).toBe('solid')
  const off = await fill(track)
  await quiet.click()
  await page.getByLabel('Quiet from').waitFor()
  expect(await fill(track)).not.toBe(off)
})

test.each(pages)(
  '%s moves nothing by itself for a person who prefers less motion',
  async (_, path, ready) => {
    const page = await dashboard.open('Grace', '/account')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await go(page, path, ready)
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1)
        .map(({ effect }) => String(effect?.getComputedTiming().duration)),
    )
    expect(moving).toEqual([])
  },
)

test.each(pages)(
  '%s loses nothing at 200 % of the text size, and at 320 px',
  async (_, path, ready) => {
    const page = await dashboard.open('Grace', '/account')
    // As the reader's own setting does, which the breakpoints of the page follow.
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
    await go(page, path, isRequest(path) ? '.decide-bar' : ready)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe(
      '32px',
    )
    expect(await lostOn(page)).toEqual([])
    await session.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
    await page.setViewportSize({ width: 320, height: 640 })
    await go(page, path, isRequest(path) ? '.decide-bar' : ready)
    expect(await lostOn(page)).toEqual([])
  },
)
