import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '../harness/fixtures/agent-desk.ts'
import { noteSigner } from '../harness/evidence/fixed-log.ts'
import { coverAudit, keepCovered, logSigner } from '../harness/fixtures/cover-audit.ts'
import { addForgedEvent } from '../harness/fixtures/hostile-events.ts'
import { rowOf } from '../harness/fixtures/rows.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import { eraseRequestContents } from '#services/erasure/erase-contents.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { ask, askForNote, openDashboard, phone } from './open-dashboard.ts'
import { cosignNewest } from '../harness/evidence/witnessed-desk.ts'

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({
  'countersign.yaml': deskConfig.replace(
    'rights:',
    'rights:\n  readAudit: [platform]\n  activatePolicy: [operators]',
  ),
})

let file = 0

async function newNote() {
  file += 1
  const { runId, id } = await askForNote(dashboard.desk, `notes/trail-${file}.md`)
  const { number } = await rowOf(dashboard.desk.database.db, 'request', { id }, 'number')
  return { runId, id, number: Number(number) }
}

// Rules: security.md 29
test('the trail counts texts that SQL added to it and that are no events, beside the events', async () => {
  const { id } = await newNote()
  const { db } = dashboard.desk.database
  await addForgedEvent(db, 'decision.recorded', 'x', { request: { id, sequence: 100 } })
  const page = await dashboard.open('Grace', '/audit?type=decision.recorded')
  const notice = page.getByRole('alert').filter({ hasText: 'Not events of the service: 1' })
  await notice.waitFor()
  const other = await dashboard.open('Grace', '/audit?type=request.opened')
  await other.locator('.audit-table tbody tr').first().waitFor()
  expect(await other.getByRole('alert').count()).toBe(0)
})

test('the trail is narrowed by request, type and actor, under an address that can be sent', async () => {
  const { desk } = dashboard
  const one = await newNote()
  await newNote()
  await desk.decide(desk.people.grace, one.id, { decision: 'deny' })
  const page = await dashboard.open('Grace', '/audit')
  await page.locator('.audit-table tbody tr').first().waitFor()
  await page.getByLabel('Request', { exact: true }).fill(String(one.number))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/audit?requestId=${one.number}`)
  const others = page.locator(
    `.audit-table a[href^="/requests/"]:not([href="/requests/${one.id}"])`,
  )
  await others.first().waitFor({ state: 'detached' })
  // All events of one request are shown as a history.
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.getByRole('button', { name: 'Decision recorded' }).waitFor()
  await history.getByText('Grace denied it').waitFor()
  await page.locator(`.event-history-title a[href="/requests/${one.id}"]`).waitFor()

  await page.getByLabel('Type of event').selectOption('decision.recorded')
  await page.waitForURL(`**/audit?requestId=${one.number}&type=decision.recorded`)
  const rows = page.locator('.audit-table tbody tr')
  await expect.poll(() => rows.count()).toBe(1)

  const same = await dashboard.open(
    'Grace',
    new URL(page.url()).pathname + new URL(page.url()).search,
  )
  await same.getByRole('button', { name: 'Decision recorded' }).waitFor()
  expect(await same.getByLabel('Request', { exact: true }).inputValue()).toBe(String(one.number))
  await page.getByLabel('Who').fill('linus@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No event matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows.nth(2).waitFor()
  await page.getByLabel('Outside office hours').click()
  await page.waitForURL(/[?&]outside=08%3A00-18%3A00&timeZone=/)
  await page.getByLabel('Outside office hours').click()
  await page.waitForURL((url) => !url.searchParams.has('outside'))
  await rows.nth(2).waitFor()
  await page.getByLabel('To (inclusive)').fill('2001-02-03')
  await page.waitForURL(/[?&]to=2001-02-0\d/)
  await page.getByRole('heading', { name: 'No event matches' }).waitFor()
  expect(await page.getByLabel('To (inclusive)').inputValue()).toBe('2001-02-03')
})

test('the trail is told in sentences, with the words of the person who decided as a quotation', async () => {
  const { desk } = dashboard
  const one = await newNote()
  const reason = 'wrong <b>price</b> \u202E'
  await desk.decide(desk.people.grace, one.id, { decision: 'deny', reason })
  const page = await dashboard.open('Grace', '/audit')
  const row = page.getByRole('row', { name: `Grace denied #${one.number}` })
  await row.getByText('wrong <b>price</b>').waitFor()
  expect(await row.locator('q').count()).toBe(1)
  expect(await row.getByText('U+202E').count()).toBe(1)
  await row.getByRole('link', { name: `#${one.number} ` }).click()
  await page.waitForURL(`**/requests/${one.id}`)
  await page.goto(`${dashboard.url}/audit`)
  const others = page.locator(`.audit-table a:not([href="/requests/${one.id}"])`)
  // Words of the request, and of the reason.
  for (const words of [`trail-${file}`, `WRONG trail-${file}`]) {
    await page.getByLabel('Words').fill(words)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('q') === words)
    await others.first().waitFor({ state: 'detached' })
    await row.waitFor()
  }
})

// Rules: security.md 20
test('the history of a request masks secrets, and says that people saw it once one of them has', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/masked-history.md', content: 'Text\n' }
  desk.say({ text: 'A note.', calls: [{ tool: 'write_file', input }] })
  const { runId } = await desk.startTurn({ input: 'Copy https://u:s3cretword@db to a note' })
  const [call] = await desk.calls(runId, 1)
  const id = call?.requestId ?? ''
  const page = await dashboard.open('Grace', `/audit?requestId=${id}`)
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.getByRole('heading', { name: 'What was to be seen' }).waitFor()
  const chip = history.getByRole('button', { name: 'password in an address, 10 characters · show' })
  await chip.waitFor()
  expect(await page.content()).not.toContain('s3cretword')
  await chip.click()
  await history.getByText('s3cretword').waitFor()
  const of = await rowOf(
    desk.database.db,
    'request_revision',
    { request_id: id },
    'presentation_digest',
  )
  await desk.decide(desk.people.grace, id, { decision: 'deny', seen: of.presentation_digest })
  await page.reload()
  await history.getByRole('heading', { name: 'What people saw' }).waitFor()
  await history.getByText('All of it was on the screen of Grace').waitFor()
})

test('a history whose request could not be loaded is tried again, and its address is in no command to paste', async () => {
  const one = await newNote()
  await coverAudit(dashboard.desk.database.db)
  const page = await dashboard.open('Grace', '/account')
  const detail = `**/v1/requests/${one.id}`
  await page.route(detail, (route) => route.fulfill({ status: 503, json: {} }))
  await page.goto(`${dashboard.url}/audit?requestId=${one.id}`)
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.getByRole('alert').getByText('This could not be loaded').waitFor()
  await page.unroute(detail)
  await history.getByRole('button', { name: 'Try again' }).click()
  await history.getByText('A file: 1 line, 5 bytes').waitFor()
  const commands = page.locator('.command')
  await page.getByText('Verify it offline', { exact: true }).click()
  await commands.getByText(`audit export --request ${one.number} --out`).waitFor()
  for (const address of ['1; touch x\ny', '987654321']) {
    await page.goto(`${dashboard.url}/audit?requestId=${encodeURIComponent(address)}`)
    await page.getByText('Verify it offline', { exact: true }).click()
    await commands.getByText('audit export --log --out trail').waitFor()
    expect((await commands.allTextContents()).join()).not.toContain(address)
  }
})

test('the history of a request is shown under its number, and the browser itself verifies that the signed log has it', async () => {
  const { desk } = dashboard
  const one = await newNote()
  await desk.decide(desk.people.grace, one.id)
  await desk.perform(await desk.turn(one.runId, 1))
  await coverAudit(desk.database.db)
  const page = await dashboard.open('Grace', `/audit?requestId=${one.number}`)
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.waitFor()
  // A link may name the request by its id; its reader sees the number.
  await page.goto(`${dashboard.url}/audit?requestId=${one.id}`)
  await history.waitFor()
  const filter = page.getByLabel('Request', { exact: true })
  await expect.poll(() => filter.inputValue()).toBe(String(one.number))
  const chapters = history.locator('h2')
  await expect
    .poll(() => chapters.allTextContents())
    .toEqual(['Request', 'What was to be seen', 'Decision', 'Execution', 'Proof'])
  await history.getByText(/^Run \d+ of scribe asked for approval of it$/).waitFor()
  await history.getByText('A file: 1 line, 5 bytes').waitFor()
  await history.getByText('The task from Ada').waitFor()
  await history.getByRole('button', { name: 'Check the proof in this browser' }).click()
  await history.getByText('Every check holds.').waitFor()
  await history.getByText('for the first time and remembers it').waitFor()
  await history.getByRole('button', { name: 'Check the proof in this browser' }).click()
  await history.getByText('It is the key that this browser saw before.').waitFor()

  // A record that the page shows since was not checked.
  await commentRequest(desk.api, desk.people.linus.caller, { request: one.id, text: 'Later' })
  await history.getByText('Every check holds.').waitFor({ state: 'detached' })

  // The export of a bundle is in it, and a checkpoint must cover it first.
  await using _covering = keepCovered(desk.database.db)
  const downloading = page.waitForEvent('download')
  await history.getByRole('button', { name: 'Evidence bundle' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`request-${one.number}.json`)
  const bundle = await readFile(await download.path(), 'utf8')
  expect(bundle).toContain(one.id)
  expect(Object.keys(JSON.parse(bundle) as object)).toContain('checkpoint')

  // The service sends an event of which one word was changed.
  await page.route('**/v1/requests/*/receipt', async (route) => {
    const answer = await route.fetch()
    const receipt = (await answer.json()) as { events: { event: string }[] }
    const [event] = receipt.events
    if (event !== undefined) event.event = event.event.replace('request.opened', 'request.closed')
    await route.fulfill({ response: answer, json: receipt })
  })
  await history.getByRole('button', { name: 'Check the proof in this browser' }).click()
  await history.getByText('A check does not hold.').waitFor()
  await history.getByText('The signed log does not have what is shown as event').waitFor()
  await history.getByText('An event is missing in between, or was changed.').waitFor()
  await page.unroute('**/v1/requests/*/receipt')

  // The service lists another event than the one that it proves.
  await page.route(/\/v1\/audit\?/, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.text()).replace('"decision":"approve"', '"decision":"deny"')
    await route.fulfill({ response: answer, body })
  })
  await page.reload()
  await history.getByRole('button', { name: 'Check the proof in this browser' }).click()
  await history.getByText('A check does not hold.').waitFor()
  await history.getByText('On this page, 1 record differs from the log.').waitFor()
})

test('while the events of another request load, those on the page are marked and are no history of it, and what was checked is not said of it', async () => {
  const one = await newNote()
  const other = await newNote()
  await coverAudit(dashboard.desk.database.db)
  const page = await dashboard.open('Grace', `/audit?requestId=${one.number}`)
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.getByRole('button', { name: 'Check the proof in this browser' }).click()
  await history.getByText('Every check holds.').waitFor()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/v1\/audit\?.*requestId/, async (route) => {
    await answered
    await route.continue()
  })
  await page.getByLabel('Request', { exact: true }).fill(String(other.number))
  await page.keyboard.press('Enter')
  await page.locator('.answer[aria-busy="true"]').waitFor()
  expect(await history.count()).toBe(0)
  answer()
  await page.locator(`.event-history-title a[href="/requests/${other.id}"]`).waitFor()
  expect(await page.locator('.answer[aria-busy="true"]').count()).toBe(0)
  expect(await history.getByText('Every check holds.').count()).toBe(0)
})

test('a request has its receipt to download: a checkpoint that covers its events', async () => {
  const { id, number } = await newNote()
  await coverAudit(dashboard.desk.database.db)
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('heading', { name: 'Proof' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Receipt' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`receipt-${number}.json`)
  const receipt = JSON.parse(await readFile(await download.path(), 'utf8')) as {
    checkpoint: string
    events: { event: string }[]
  }
  expect(openCheckpoint(receipt.checkpoint, logSigner.key).size).toBeGreaterThan(0)
  expect(receipt.events.map(({ event }) => JSON.parse(event) as unknown)).toMatchObject([
    { type: 'request.opened', requestId: id },
  ])
})

test('the page says how far the trail is signed, and how a person who may read all of it verifies that offline', async () => {
  const { db } = dashboard.desk.database
  await newNote()
  await coverAudit(db)
  const { size } = await db
    .selectFrom('audit_leaf')
    .select((leaf) => leaf.fn.countAll<string>().as('size'))
    .executeTakeFirstOrThrow()
  await cosignNewest(db, noteSigner('witness.example', 'cosignature'))
  const page = await dashboard.open('Grace', '/audit')
  await page.getByText(`Signed up to event ${size}, `).waitFor()
  await page.getByText(`Witnessed by office up to event ${size}, `).waitFor()
  await page.getByRole('button', { name: 'Request opened' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Request opened' })
  await drawer.getByText('Verify it offline').click()
  await drawer
    .getByText(
      /^bin\/countersign audit export --request [\w-]+ --out request.json --as grace@example.com --project \S/,
    )
    .waitFor()
  await drawer.getByText(/^bin\/countersign audit verify request.json --key '[^']+'$/).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await page.getByText('Verify it offline').click()
  await page
    .getByText(
      /^bin\/countersign audit export --log --out trail --as grace@example.com --project \S/,
    )
    .waitFor()
  await page.getByText(/^bin\/countersign audit verify trail --key '[^']+\+[0-9a-f]{8}\+/).waitFor()
  const olga = await dashboard.open('Olga', '/audit')
  await olga.getByText(`Signed up to event ${size}, `).waitFor()
  expect(await olga.getByText('Verify it offline').count()).toBe(0)
})

test('an event opens as the exact record that is stored', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/audit?requestId=${id}`)
  await page.getByRole('button', { name: 'Request opened' }).click()
  const drawer = page.getByRole('dialog', { name: 'Request opened' })
  await drawer.getByText(/^Run \d+ of scribe asked for approval of #\d+ Create/).waitFor()
  await drawer.getByRole('button', { name: 'Copy', exact: true }).click()
  const stored = await rowOf(
    dashboard.desk.database.db,
    'audit_event',
    { request_id: id, type: 'request.opened' },
    'document',
  )
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const patient = { timeout: 60_000 }
  await expect
    .poll(async () => JSON.parse(await copied()) as unknown, patient)
    .toEqual(JSON.parse(stored.document))
  await drawer.getByRole('button', { name: 'Copy the stored bytes' }).click()
  await expect.poll(copied, patient).toBe(stored.document)
  expect(await drawer.textContent()).toContain(id)
  // Nobody needs the hash of the leaf to read the record.
  const proof = drawer.getByText('Proof', { exact: true })
  expect(await drawer.getByText('Leaf of the log').isVisible()).toBe(false)
  await proof.click()
  const leaf = createHash('sha256').update('\0').update(stored.document).digest('hex')
  await drawer.getByTitle(`${leaf} (click to copy)`).waitFor()
  await drawer.getByRole('link', { name: 'scribe' }).waitFor()
  await drawer.getByText(', started by Ada').waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/audit')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('button', { name: 'Request opened' }).first().click()
  await drawer.getByRole('link', { name: 'All that happened to this request' }).click()
  await page.getByRole('list', { name: 'History of the request' }).waitFor()
  await drawer.waitFor({ state: 'hidden' })
})

test('a person without the right to the whole trail sees that they lack it and gets no export', async () => {
  await newNote()
  const page = await dashboard.open('Olga', '/audit')
  await page.getByText('The whole trail needs the right readAudit').waitFor()
  expect(await page.getByRole('button', { name: 'Export', exact: true }).count()).toBe(0)
  const grace = await dashboard.open('Grace', '/audit')
  await grace.getByRole('button', { name: 'Export', exact: true }).waitFor()
  expect(await grace.getByText('The whole trail needs').count()).toBe(0)
})

test('notifications that were given up are listed with the reason, and sent again by a person with the right', async () => {
  const { db } = dashboard.desk.database
  const dead = {
    id: uuidv7(),
    endpoint: 'callback:programs',
    event_id: uuidv7(),
    recipient: 'some-key',
    type: 'request.decided',
    body: '{}',
    state: 'dead' as const,
    attempts: 10,
    last_error: 'it answered 503 \u202E',
  }
  await db.insertInto('delivery').values(dead).execute()
  // Grace reads the trail: she sees what became of it, and may not send it.
  const grace = await dashboard.open('Grace', '/policy')
  await grace.getByText('it answered 503').waitFor()
  expect(await grace.getByRole('button', { name: /^Send again/ }).count()).toBe(0)
  const page = await dashboard.open('Olga', '/policy')
  const region = page.locator('section[aria-labelledby=notifications-title]')
  await region.getByText('Nobody is notified').waitFor()
  await region.getByText('it answered 503').waitFor()
  await region.getByText('U+202E', { exact: false }).waitFor()
  await region.getByRole('button', { name: /^Send again: request/ }).click()
  await region.getByText('No delivery was given up.').waitFor()
  const sent = db.selectFrom('delivery').select('state').where('id', '=', dead.id)
  expect((await sent.executeTakeFirstOrThrow()).state).toBe('pending')
})

test('a matrix says for each worker what it does without approval, what it asks, where, and never does, each with its line', async () => {
  const one = await newNote()
  const page = await dashboard.open('Grace', '/policy')
  const matrix = page.getByRole('table', { name: 'What each worker may do' })
  await matrix
    .getByRole('button', { name: 'scribe, Write files: without approval scratch/ asks' })
    .click()
  await matrix.getByText('Write and edit files in notes/').first().waitFor()
  await matrix
    .getByText(/^workers\/scribe\.md:\d+$/)
    .first()
    .waitFor()
  const calls = matrix.getByRole('region', { name: 'Last calls' }).getByRole('listitem')
  const last = calls.filter({ hasText: `notes/trail-${file}.md` })
  await last.getByText(`asked as #${one.number}, waiting`).waitFor()
  expect(await last.getByRole('link', { name: /^Run / }).getAttribute('href')).toBe(
    `/runs/${one.runId}`,
  )
  await matrix.getByRole('button', { name: 'scribe, Delete files:' }).click()
  await matrix.getByText('Delete and move files in notes/').first().waitFor()
  await page.setViewportSize(phone)
  const sideways = () => matrix.evaluate((table) => table.scrollWidth - table.clientWidth)
  expect(await sideways()).toBeLessThanOrEqual(0)
  expect((await matrix.boundingBox())?.width).toBeLessThanOrEqual(phone.width)
  // On a phone the rules are in the cell that opened them, below its line.
  const cell = matrix.getByRole('cell').filter({ hasText: 'scribe, Delete files:' })
  await cell.getByText('Delete and move files in notes/').first().waitFor()
  await matrix.getByRole('link', { name: 'delete_file' }).click()
  await page.waitForURL('**/?state=any&tool=delete_file&worker=scribe')
})

test('a worker in force says in words what it may do, its commands too, whom it may call, and what commands run in', async () => {
  await dashboard.desk.activate({
    'workers/runner.md': deskWorker
      .replace(
        'name: scribe',
        'name: runner\nworkers: [scribe]\nshell: { default: ask, rules: [{ pattern: git push, approval: blocked, reason: not from here }] }',
      )
      .replace('turns: 40', 'turns: 1')
      .replace('zones:', 'sandbox: { required: true, network: [example.com] }\nzones:'),
  })
  const page = await dashboard.open('Grace', '/policy?worker=runner')
  const rules = page.locator('.worker[open] .worker-rules')
  await rules.getByText('May call scribe').waitFor()
  await rules.getByText('Limits of a run 1 turn, 200 calls, 2,000,000 tokens').waitFor()
  const lines = rules.getByRole('listitem')
  await lines.filter({ hasText: /^never\s*Run git push · not from here/ }).waitFor()
  await lines.filter({ hasText: /^asks\s*Run any other command · platform/ }).waitFor()
  await lines.filter({ hasText: /^asks\s*Write and edit files in notes\/.* · platform/ }).waitFor()
  // Digests are under "Proof" only.
  expect(await rules.getByText(/[0-9a-f]{12}/).isVisible()).toBe(false)
  await rules
    .getByText('commands may reach example.com; without a working sandbox none runs')
    .waitFor()
})

test('a path or a command that is typed has its verdicts at once', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const verdicts = page.getByRole('list', { name: 'Verdicts' })
  const field = page.getByLabel('A path or a command')
  // The form opens at the first worker, which another test may have added.
  const form = page.getByRole('region', { name: 'Explain a call' })
  await form.getByLabel('Worker').selectOption('scribe')
  const verdict = (hasText: RegExp) => verdicts.getByRole('listitem').filter({ hasText })
  await field.fill('notes/a.md')
  await verdict(/Read it\s*without approval/).waitFor()
  await verdict(/Write it\s*asks platform/).waitFor()
  await verdict(/Delete it\s*never/).waitFor()
  await field.fill('git push now')
  await verdict(/Read it/).waitFor({ state: 'detached' })
  // No sentence for the model, with the names of all tools.
  await verdict(/^Run it\s*never this worker runs no commands$/).waitFor()
  await field.fill('')
  await verdicts.waitFor({ state: 'detached' })
})

test('a call that nobody made is explained in the words of the matrix: asks, never, without approval, each by its rule, its digest under Proof', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const form = page.getByRole('region', { name: 'Explain a call' })
  const explain = async (tool: string, input: Record<string, string>): Promise<void> => {
    await form.getByLabel('Tool').selectOption(tool)
    for (const [name, value] of Object.entries(input)) {
      await form.getByLabel(new RegExp(`^${name}`)).fill(value)
    }
    await form.getByRole('button', { name: 'Explain' }).click()
  }
  await explain('write_file', { path: 'notes/a.md', content: 'x' })
  const verdict = form.getByRole('status').locator('strong')
  await verdict.getByText('asks', { exact: true }).waitFor()
  await form.getByText('zone:notes.write').first().waitFor()
  await explain('delete_file', { path: 'notes/a.md' })
  await verdict.getByText('never', { exact: true }).waitFor()
  await explain('write_file', { path: 'scratch/a.md', content: 'x' })
  await verdict.getByText('without approval', { exact: true }).waitFor()
  const steps = form.getByRole('list', { name: 'Steps' })
  await steps.getByText(/^write_file is a tool of/).waitFor()
  expect(await steps.getByText(/^(?:yes|no|none)\b/).count()).toBe(0)
  expect(await steps.getByRole('listitem').count()).toBeGreaterThan(1)
  // Digests are under "Proof" only.
  expect(await form.getByText(/[0-9a-f]{8}/).isVisible()).toBe(false)
  // The form has another call now, whose verdict nobody asked for.
  await form.getByLabel(/^path/).fill('notes/a.md')
  await expect.poll(() => form.getByRole('status').count()).toBe(0)
})

test('the steps name the queue of the routing and the mode of the run', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const form = page.getByRole('region', { name: 'Explain a call' })
  await form.getByLabel('Tool').selectOption('write_file')
  await form.getByLabel(/^path/).fill('notes/a.md')
  await form.getByLabel(/^content/).fill('x')
  await form.getByRole('button', { name: 'Explain' }).click()
  const steps = form.getByRole('list', { name: 'Steps' })
  await steps.getByText(/^Routing/).waitFor()
  const texts = await steps.getByRole('listitem').allInnerTexts()
  const flat = texts.map((text) => text.replaceAll(/\s+/g, ' '))
  expect(flat).toContainEqual(expect.stringMatching(/^Routing platform: /))
  expect(flat).toContainEqual(expect.stringMatching(/^Run mode prompt: calls that ask /))
  expect(flat).toContainEqual(expect.stringMatching(/^Grant no live grant /))
})

test('an input that is not JSON, and an unknown tool, are named as such', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const form = page.getByRole('region', { name: 'Explain a call' })
  await form.getByLabel('Write it as JSON').check()
  await form.getByLabel('Input (JSON)').fill('{ "path": ')
  await form.getByRole('button', { name: 'Explain' }).click()
  await form.getByRole('alert').getByText('The input is not JSON.').waitFor()
  await form.getByLabel('Input (JSON)').fill('{}')
  await form.getByLabel('Tool').fill('no_such_tool')
  await form.getByRole('button', { name: 'Explain' }).click()
  await form.getByText('no_such_tool').first().waitFor()
  expect(await form.getByText('without approval', { exact: true }).count()).toBe(0)
})

/** A call about Jane that Grace began to change in her tab, and that was carried out as it was. */
async function endWithDraft(input: { path: string; content: string }) {
  const { desk } = dashboard
  const { runId, requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'On Jane Doe.')
  const request = requestIds[0]!
  const page = await dashboard.open('Grace', `/requests/${request}`)
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByLabel('content').waitFor()
  await page.keyboard.type('Not ')
  const inTab = () => page.evaluate(() => JSON.stringify(sessionStorage))
  await expect.poll(inTab).toContain('Jane')
  await desk.decide(desk.people.grace, request)
  await desk.perform(await desk.turn(runId, 1))
  await desk.turn(runId, 2)
  return { runId, request, page, inTab }
}

test('a request whose contents were erased says so in their place, live, and what it was is nowhere', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/jane.md', content: 'Jane Doe lives in Elm Street\n' }
  const { runId, request, page, inTab } = await endWithDraft(input)
  // Beside it is its row, which stays until the person moves on.
  await page.locator('.request-row[data-gone=true]').getByText('jane.md').waitFor()
  await page.getByRole('heading', { name: 'What was requested' }).waitFor()
  await page.getByText('Jane Doe lives in Elm Street').first().waitFor()
  await eraseRequestContents(desk.api, desk.people.olga.caller, { request, why: 'asked for it' })
  await page.getByRole('heading', { name: 'The contents were erased' }).waitFor()
  await page.getByText(/^Olga had them erased/).waitFor()
  await page.getByText(/What was erased: \d+/).click()
  await page.getByText('The bytes themselves').waitFor()
  expect(await page.getByRole('button', { name: 'Show every byte' }).count()).toBe(0)
  await page.getByText('Jane').first().waitFor({ state: 'detached' })
  expect(await inTab()).not.toContain('Jane')
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await page
    .getByText(/\[erased on .* by Olga\]/)
    .first()
    .waitFor()
  expect(await page.content()).not.toContain('Jane')
  await page.goto(`${dashboard.url}/audit?requestId=${request}`)
  const history = page.getByRole('list', { name: 'History of the request' })
  await history.getByText(/^Olga had it erased/).waitFor()
  expect(await history.getByText(/^(A file|A text): /).count()).toBe(0)
})

test('what a person typed about contents that are erased leaves their browser on any page, and in a tab that was elsewhere', async () => {
  const { desk } = dashboard
  for (const place of ['/account', 'about:blank']) {
    const input = { path: 'notes/tab.md', content: `Jane Doe at ${place}\n` }
    const { request, page, inTab } = await endWithDraft(input)
    const isElsewhere = place === 'about:blank'
    await page.goto(isElsewhere ? place : dashboard.url + place)
    if (!isElsewhere) {
      await page.getByRole('heading', { name: 'Sessions' }).waitFor()
      expect(await inTab()).toContain('Jane')
    }
    await eraseRequestContents(desk.api, desk.people.olga.caller, { request, why: 'asked for it' })
    if (isElsewhere) await page.goto(`${dashboard.url}/runs`)
    await expect.poll(inTab).not.toContain('Jane')
  }
})

test('two clicks on a button that saves a file save one, and after a refusal it can be pressed again', async () => {
  await newNote()
  const page = await dashboard.open('Grace', '/audit')
  const asked: string[] = []
  await page.route('**/v1/audit/export*', (route) => {
    asked.push(route.request().url())
    if (asked.length > 1) return route.fallback()
    return route.fulfill({ status: 503, json: { code: 'unavailable', detail: 'Not now' } })
  })
  const button = page.getByRole('button', { name: 'Export', exact: true })
  await button.dblclick()
  await page.getByText('Not now').waitFor()
  expect(asked).toHaveLength(1)
  const saved = page.waitForEvent('download')
  await button.dblclick()
  await saved
  expect(asked).toHaveLength(2)
})

test('a saved export is the trail under its filters, for a person who may read all of it', async () => {
  const input = { path: 'notes/export.md', content: 'x\n' }
  await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', '/audit?type=request.opened')
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Opened')
  await page.keyboard.press('Enter')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Opened' }).click()
  const bytes = await readFile(await (await saved).path(), 'utf8')
  const types = bytes
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect(new Set(types)).toEqual(new Set(['request.opened']))
})

test('the button that clears the filters of the trail is on the line of the filters, or beside the last one on the next line', async () => {
  const page = await dashboard.open('Grace', '/audit?q=trail', {
    viewport: { width: 1440, height: 900 },
  })
  const bottomOf = async (name: string) => {
    const box = await page
      .getByRole('button', { name })
      .or(page.getByLabel(name))
      .first()
      .boundingBox()
    return Math.round((box?.y ?? 0) + (box?.height ?? 0))
  }
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  expect(await bottomOf('Clear filters')).toBe(await bottomOf('Type of event'))
  await page.setViewportSize({ width: 1280, height: 900 })
  const office = await page.getByText('Mon–Fri').boundingBox()
  const clear = await page.getByRole('button', { name: 'Clear filters' }).boundingBox()
  expect(clear?.y).toBeLessThan((office?.y ?? 0) + (office?.height ?? 0))
  expect(clear?.x).toBeGreaterThan(office?.x ?? Infinity)
})

test('the record of a decision is on one line with its time and channel on a phone', async () => {
  const { desk } = dashboard
  const one = await newNote()
  await desk.decide(desk.people.grace, one.id)
  const page = await dashboard.open('Grace', '/audit?type=decision.recorded', { viewport: phone })
  const record = page.locator('.audit-record').first()
  await record.getByText('Decision recorded').waitFor()
  const height = await record.locator('.audit-open').evaluate((it) => {
    const words = document.createRange()
    words.selectNodeContents(it)
    return words.getBoundingClientRect().height
  })
  // One line of its text, not two.
  expect(height).toBeLessThan(24)
})

test('the open version of the policy comes before the one in force on a phone', async () => {
  const page = await dashboard.open('Olga', '/policy', { viewport: phone })
  const version = page.getByRole('region', { name: 'Version', exact: true })
  await version.waitFor()
  const table = await page.getByRole('table').first().boundingBox()
  expect((await version.boundingBox())?.y).toBeLessThan(table?.y ?? 0)
})
