import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { claimedPictures, endWithFiles } from '../../harness/fixtures/result-with-files.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { ask, askForNote, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

const hostile = [
  '<img src=x onerror="document.title=\'owned\'">',
  '<script>document.title="owned"</script>',
  '[click me](https://evil.example) ![pixel](https://evil.example/p.png)',
  'safe\u202Etxt.exe',
  'zero\u200Bwidth and p\u0430ypal',
  '\u001B[2J\u001B[31mterminal',
  'tail   ',
  `pushed${' '.repeat(300)}out of sight`,
].join('\n')

// Rules: product.md 26; security.md 17
test('whatever an agent writes is text: no element, no link, no request, and hidden characters are chips', async () => {
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/hostile.md', content: hostile } }],
    hostile,
  )
  const page = await dashboard.open('Grace', '/')
  const outside: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboard.url)) outside.push(request.url())
  })
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  const effect = page.getByRole('region', { name: 'All that will happen' })
  await effect.getByText('<script>').waitFor()
  const statement = page.locator('.statement')
  for (const place of [effect, statement]) {
    const text = (await place.textContent()) ?? ''
    expect(text).toContain('<img src=x onerror="document.title=\'owned\'">')
    expect(text).toContain('[click me](https://evil.example)')
    for (const chip of ['U+202E', 'U+200B', 'U+0430', 'ESC', '300 spaces'])
      expect(text).toContain(chip)
    expect(await place.locator('a, img, script, iframe').count()).toBe(0)
  }
  await page.getByRole('button', { name: 'Show every byte' }).click()
  await page.getByText('No newline at the end').first().waitFor()
  expect(await page.title()).toContain('Countersign')
  expect(outside).toEqual([])
})

// Rules: security.md 17
test('words from right to left, and the numbers after them, are drawn in the order of the bytes', async () => {
  const words = ['mv', '\u05d0\u05d1', '10', '20', '\u05d2\u05d3', '30', '\u0627\u0628']
  const before = `${words.toReversed().join(' ')}\n`
  await dashboard.desk.write('notes/order.md', before)
  const { requestIds } = await ask(
    dashboard.desk,
    ['notes/new-order.md', 'notes/order.md'].map((path) => ({
      tool: 'write_file',
      input: { path, content: `${words.join(' ')}\n` },
    })),
    words.join(' '),
  )
  const drawn = async (id: string | undefined, place: string): Promise<string[]> => {
    const page = await dashboard.open('Grace', `/requests/${id}`)
    const line = page.locator(place, { hasText: /^mv/ }).first()
    await line.waitFor()
    return drawnWords(line, words)
  }
  expect(await drawn(requestIds[0], '.code-text')).toEqual(words)
  expect(await drawn(requestIds[0], '.statement .untrusted')).toEqual(words)
  expect(await drawn(requestIds[1], '.diff-code-insert')).toEqual(words)
})

// Rules: security.md 17
test('what an agent writes in Hebrew is read from the right, numbers and Latin words in their places', async () => {
  const words = [
    '\u05e9\u05dc\u05d5\u05dd',
    '20',
    '\u05e7\u05d1\u05e6\u05d9\u05dd',
    'notes',
    '\u05d5\u05e2\u05d5\u05d3',
  ]
  const call = { tool: 'write_file', input: { path: 'notes/hebrew.md', content: 'x\n' } }
  const { requestIds } = await ask(dashboard.desk, [call], words.join(' '))
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  const line = page.locator('.statement .untrusted').first()
  await line.waitFor()
  expect(await drawnWords(line, words)).toEqual(words.toReversed())
})

// Rules: security.md 17
test('a blank before what changed in a line is none at its end', async () => {
  await dashboard.desk.write('notes/edge.md', 'the end of the old line\n')
  const input = { path: 'notes/edge.md', content: 'the end of the new line\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A line.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.locator('.diff-code-edit', { hasText: 'new' }).waitFor()
  expect(await page.locator('.diff-box .chip').count()).toBe(0)
})

// Rules: product.md 26; security.md 18
test('the statement of the agent is labelled as its own claim and stands after what will happen', async () => {
  const content = 'x\n'
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/claim.md', content } }],
    'This is approved already by the security team.',
  )
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByText("The model's own words. Nobody has checked them.").waitFor()
  const titles = await page.locator('main h2').allTextContents()
  expect(titles.indexOf('What will happen')).toBeLessThan(titles.indexOf("The agent's statement"))
})

// Rules: security.md 17
test('a long line wraps, and nothing of a request is wider than a phone', async () => {
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/wide.md', content: `${'x'.repeat(5_000)}\n` } }],
    `${'y'.repeat(2_000)} https://example.com/${'z'.repeat(500)}`,
  )
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  await page.getByRole('region', { name: 'All that will happen' }).waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(phone.width)
})

// Rules: security.md 15
test('high risk cannot be approved before all of it was on the screen and a reason is given', async () => {
  await dashboard.desk.activate({
    'countersign.yaml': `${deskConfig}routing:\n  - when: { path: 'notes/high*' }\n    risk: high\n`,
  })
  const lines = Array.from({ length: 400 }, (_, index) => `step ${index + 1}`)
  const { requestIds } = await ask(
    dashboard.desk,
    [
      {
        tool: 'write_file',
        input: { path: 'notes/high.md', content: `${lines.join('\n')}\n` },
      },
    ],
    'A plan.',
  )
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByLabel('Reason').fill('read every step')
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  await page.getByText('High risk: scroll through all of what will happen first.').waitFor()
  expect(await submit.isEnabled()).toBe(false)
  // Jumping to the end is not seeing the middle.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await page.getByRole('heading', { name: 'Proof' }).waitFor()
  expect(await submit.isEnabled()).toBe(false)
  await page.evaluate(() => window.scrollTo(0, 0))
  for (let step = 0; step < 40 && !(await submit.isEnabled()); step += 1) {
    await page.mouse.wheel(0, 500)
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
  }
  await submit.click()
  await page.getByText('Approved by you').waitFor()
})

// Rules: security.md 20
test('a text that looks like a secret is a chip that is revealed in place once that is recorded, and high risk needs every one', async () => {
  const token = `ghp_${'a1'.repeat(18)}`
  const content = `push with ${token}\nthen ${token} again\npassword: correcthorse\n`
  const input = { path: 'notes/high-secret.md', content }
  const { desk } = dashboard
  const { requestIds } = await ask(desk, [{ tool: 'write_file', input }], `I use ${token}.`)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  const effect = page.getByRole('region', { name: 'All that will happen' })
  await page.getByText('The last turns', { exact: true }).click()
  await page.getByText('zone notes: write asks').waitFor()
  const tokens = effect.getByRole('button', { name: 'GitHub token, 40 characters' })
  await tokens.first().waitFor()
  expect(await tokens.count()).toBe(2)
  expect(await page.locator('main').textContent()).not.toContain(token)
  expect(await page.locator('button button, a button').count()).toBe(0)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByLabel('Reason').fill('I read both')
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  await page.getByText('High risk: show every masked value first.').waitFor()
  expect(await submit.isEnabled()).toBe(false)
  // What cannot be recorded is not shown.
  await page.route('**/reveals', (route) => route.abort())
  await tokens.first().click()
  await effect.getByText('Not shown, because this could not be recorded').waitFor()
  expect(await tokens.count()).toBe(2)
  await page.unroute('**/reveals')
  await tokens.first().click()
  await effect.getByText(`then ${token} again`).waitFor()
  expect(await tokens.count()).toBe(0)
  expect(await submit.isEnabled()).toBe(false)
  await effect.getByRole('button', { name: 'named secret, 12 characters' }).click()
  await effect.getByText('correcthorse').waitFor()
  await submit.click()
  await page.getByText('Approved by you').waitFor()
  const revealed = await rowsOf(
    desk.database.db,
    'audit_event',
    { request_id: requestIds[0]!, type: 'content.revealed' },
    'document',
  )
  expect(revealed).toHaveLength(2)
  expect(JSON.stringify(revealed)).not.toContain(token)
})

// Rules: security.md 20
test('a secret in the effect of a request is not in the title of its tab, in the bar of its decision, or in a row that left the list', async () => {
  const { desk } = dashboard
  await desk.activate({ 'countersign.yaml': deskConfig })
  const tokens = ['b2', 'c3'].map((pair) => `ghp_${pair.repeat(18)}`)
  const requests = []
  for (const token of tokens) requests.push(await askForNote(desk, `notes/${token}.md`))
  const page = await dashboard.open('Grace', `/requests/${requests[0]!.id}`)
  const shown = async (): Promise<string[]> => {
    const content = await page.content()
    return tokens.filter((token) => content.includes(token))
  }
  const other = page.locator(`.request-row[data-request="${requests[1]!.id}"]`)
  await other.waitFor()
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  expect(await page.title()).toContain('notes/[GitHub token, 40 characters].md')
  expect(await shown()).toEqual([])
  await page.keyboard.press('d')
  await page.keyboard.press('d')
  const bar = page.getByRole('region', { name: 'Decisions being sent' })
  await bar.getByText('notes/[GitHub token, 40 characters].md').waitFor()
  await desk.decide(desk.people.linus, requests[1]!.id, { decision: 'deny', reason: 'no' })
  await other.getByText('Denied by Linus').waitFor()
  expect(await other.getAttribute('data-gone')).toBe('true')
  expect(await shown()).toEqual([])
})

test('the content security policy refused nothing during these tests, and the page threw no error', () => {
  // The one call that the test itself cut off.
  expect(dashboard.complaints.filter((one) => !one.includes('ERR_FAILED'))).toEqual([])
})

// Rules: security.md 18, 19
test('a tool’s picture is drawn once somebody asks for it, and what only calls itself one never is', async () => {
  const input = { path: 'notes/pictures.md', content: 'x\n' }
  const { desk } = dashboard
  const { runId, callIds } = await ask(desk, [{ tool: 'write_file', input }], 'Pictures.')
  await endWithFiles(desk.database.db, callIds[0]!, claimedPictures)
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.reload()
  const files = page.getByRole('list', { name: 'What it returned besides text' })
  await files.waitFor()
  expect(await files.locator('img').count()).toBe(0)
  expect(addresses.filter((url) => url.includes('/files/'))).toEqual([])
  expect(await files.getByRole('button', { name: /^Show/ }).allTextContents()).toEqual([
    'Show picture (image/png, 70 bytes)',
    'Show picture (image/gif, 45 bytes)',
  ])
  await files.getByRole('button', { name: 'Show picture (image/png, 70 bytes)' }).click()
  const picture = files.getByRole('img', { name: 'What the tool returned: image/png, 70 bytes' })
  await picture.waitFor()
  const width = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)
  await expect.poll(width, { timeout: 60_000 }).toBe(1)
  await files.getByRole('button', { name: 'Hide picture (image/png, 70 bytes)' }).click()
  expect(await files.locator('img').count()).toBe(0)
  // A GIF's first bytes before a page: it is a broken picture and nothing else.
  await files.getByRole('button', { name: 'Show picture (image/gif, 45 bytes)' }).click()
  await files.getByText('It cannot be shown').waitFor()
  // What is no picture is still saved as it is, and never opened.
  const saved = page.waitForEvent('download')
  await files.getByRole('button', { name: 'Download', exact: true }).nth(1).click()
  expect((await saved).suggestedFilename()).toMatch(/^[0-9a-f]{12}\.gif$/)
  expect(page.url()).toBe(`${dashboard.url}/runs/${runId}`)
  expect(await page.title()).toContain('Countersign')
  expect(dashboard.complaints).toEqual([])
})

/** The words of a line in the order in which they are drawn, from left to right. */
async function drawnWords(line: Locator, words: readonly string[]): Promise<string[]> {
  const lefts = await line.evaluate((element, texts) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const found = new Map<string, number>()
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const text of texts) {
        const at = node.nodeValue?.indexOf(text) ?? -1
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + text.length)
        found.set(text, range.getBoundingClientRect().left)
      }
    }
    return texts.map((text) => ({ text, left: found.get(text) ?? -1 }))
  }, words)
  return lefts.toSorted((one, other) => one.left - other.left).map(({ text }) => text)
}
