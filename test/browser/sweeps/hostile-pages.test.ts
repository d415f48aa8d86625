import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openExternal } from '#services/external/open-external.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addKey } from '../../harness/fixtures/people.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

/** What every place gets: markup, links, pictures, and characters that hide or turn text around. */
const hostile = [
  '<img src=x onerror="window.owned=1"><script>window.owned=1</script>',
  '[click](https://evil.example) ![pixel](https://evil.example/p.png) **bold**',
  'pay\u202Elapyap \u2066isolated\u2069 zero\u200Bwidth \uFEFF \u{E0041}tag',
  '\u001B[2J\u001B[31mred \u0007',
  'w'.repeat(600),
].join(' ')
// A path with a hidden character is refused; what is drawn of it is markup and one long word.
const path = `notes/<img src=x onerror=alert(1)>![p](https%3A)${'n'.repeat(120)}.md`

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard
desk.say({ text: hostile, calls: [1, 2].map((n) => write(path.replace('.md', `${n}.md`))) })
const { runId } = await desk.startTurn({ input: hostile })
const [first, second] = await desk.calls(runId, 1)
if (!first?.requestId || !second?.requestId) throw new Error(`not opened: ${first?.text}`)
const { grace, linus, ada } = desk.people
await commentRequest(desk.api, grace.caller, { request: first.requestId, text: hostile })
await desk.decide(linus, second.requestId, { decision: 'deny', reason: hostile })
const { caller } = await addKey(desk.database.db, ada)
await openExternal(desk.api, caller, {
  tool: 'deploy',
  title: hostile.slice(0, 150),
  input: { service: hostile, [hostile.slice(0, 80)]: 'x' },
  externalId: 'hostile',
})
await ask(desk, [write('notes/plain.md')], 'Plain.')

function write(to: string) {
  return { tool: 'write_file', input: { path: to, content: hostile } }
}

/** What of a page is drawn or read out as it was written: hidden characters, elements, requests. */
async function interpreted(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // What turns, hides or controls text; chips name them instead.
    const hidden = /(?![\t\n\r])\p{Cc}|[\u200B\u202A-\u202E\u2066-\u2069\uFEFF]|\u{E0041}/u
    const found: string[] = []
    const look = (where: string, text: string | null): void => {
      if (text !== null && hidden.test(text))
        found.push(`${where}: ${JSON.stringify(text.slice(0, 80))}`)
    }
    look('title', document.title)
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      look(
        walker.currentNode.parentElement?.outerHTML.slice(0, 80) ?? '',
        walker.currentNode.nodeValue,
      )
    for (const element of document.querySelectorAll('body *')) {
      for (const { name, value } of element.attributes) {
        if (/^(aria-label|title|alt|placeholder|data-.*|value)$/.test(name))
          look(`${element.tagName} ${name}`, value)
      }
    }
    for (const bad of document.querySelectorAll(
      '[href*="evil.example"], [src="x"], [onerror], img[src*="evil"]',
    )) {
      found.push(bad.outerHTML.slice(0, 120))
    }
    if ('owned' in window) found.push('a script ran')
    const wider = document.documentElement.scrollWidth - window.innerWidth
    if (wider > 0) found.push(`${wider} px wider than the screen`)
    return found
  })
}

const pages: readonly (readonly [string, string])[] = [
  ['/', '.request-row'],
  ['/?state=denied&q=img', '.request-row'],
  ['/requests/1', '.request-main'],
  ['/requests/2', '.request-main'],
  ['/requests/3', '.request-main'],
  [`/runs/${runId}/turns/1`, 'main h1'],
  ['/runs', '.run-row'],
  [`/runs/${runId}`, '.turn'],
  ['/insights', '.insight-pair'],
  ['/audit', '.audit-table'],
  ['/audit?requestId=2', 'ol'],
  [`/?rule=${encodeURIComponent(hostile.slice(0, 300))}`, '.filter-chips'],
  ['/policy', 'h1'],
]

// Rules: product.md 26; security.md 17
test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', phone],
])(
  'no page on %s interprets what a model, a program or a colleague wrote, nor hides a character of it, nor breaks its layout',
  async (_, viewport) => {
    const page = await dashboard.open('Grace', '/account', { viewport })
    page.setDefaultTimeout(90_000)
    const outside: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(dashboard.url)) outside.push(request.url())
    })
    const found: string[] = []
    for (const [address, ready] of pages) {
      await page.goto(dashboard.url + address)
      await page.locator(ready).first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      for (const one of await interpreted(page)) found.push(`${address} ${one}`)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: /^Search requests, runs/ }).fill('pay')
    await page
      .getByRole('button', { name: /U\+202E|pay/ })
      .first()
      .waitFor()
    for (const one of await interpreted(page)) found.push(`palette ${one}`)
    expect(found).toEqual([])
    expect(outside).toEqual([])
    expect(dashboard.complaints).toEqual([])
  },
)
