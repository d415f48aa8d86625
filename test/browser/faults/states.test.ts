import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import type { Page } from 'playwright-core'
import { ask, askForNote, openDashboard, developmentToken, phone } from '../open-dashboard.ts'
import { sharedBrowser } from '../../harness/browser.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'

const checkout = join(import.meta.dirname, '..', '..', '..')
const dashboard = disposeAfterTests(await openDashboard())
beforeAll(async () => {
  // Where a running service says that it runs, as `countersign start` does.
  const run = join(dashboard.desk.root, '.countersign', 'run')
  await mkdir(run, { recursive: true })
  await writeFile(join(run, 'url'), dashboard.url)
  await writeFile(join(run, 'dev-token'), developmentToken)
})

/** A command as a person pastes it: in a shell, in the folder of Countersign. */
const paste = (command: string) => promisify(execFile)('sh', ['-c', command], { cwd: checkout })

test("the documentation opens from the person's menu", async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Documentation' }).click()
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/docs')
})

test('the first inbox is a checklist that ticks itself; its command starts a run as it stands, and the list of runs shows the same', async () => {
  const runs = await dashboard.open('Grace', '/runs')
  const command = (await runs.locator('.command code').textContent()) ?? ''
  const page = await dashboard.open('Grace', '/')
  const steps = page.getByRole('region', { name: 'The first five minutes' })
  const first = steps.getByRole('listitem').filter({ hasText: 'Start a run' })
  await first.getByText('to do').waitFor()
  expect(await first.locator('.command code').textContent()).toBe(command)
  await first.getByRole('button', { name: 'Copy the command' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await paste(copied)
  const [, id] = /\/runs\/([\w-]+)/.exec(stdout) ?? []
  const { db } = dashboard.desk.database
  const run = await db.selectFrom('run').select(['id', 'started_by']).executeTakeFirstOrThrow()
  expect(run).toEqual({ id, started_by: dashboard.desk.people.grace.id })
  await runs.getByRole('link', { name: 'scribe: Say what you can do here' }).waitFor()
  // As whom would be refused: only the host itself makes links for others.
  const invite = steps.locator('code', { hasText: 'people link' })
  const options = `--project '${dashboard.desk.root}'`
  expect(await invite.textContent()).toBe(`bin/countersign people link EMAIL ${options}`)
  await first.getByText('done').waitFor()
  // It stays while requests wait, and ticks the next step when a colleague decides.
  const { desk } = dashboard
  const decision = steps.getByRole('listitem').filter({ hasText: 'Decide it as a colleague' })
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/first.md', content: '1' } }] })
  await desk.turn(run.id, 1)
  await page.locator('.request-row').waitFor()
  await decision.getByText('to do').waitFor()
  const colleague = await dashboard.open('Linus', '/')
  await colleague.getByText('A request waits for you: open it, and decide it.').waitFor()
  const [call] = await desk.calls(run.id, 1)
  await desk.decide(desk.people.linus, call?.requestId ?? '')
  await decision.getByText('done').waitFor()
  await page.reload()
  await steps.getByRole('button', { name: 'Hide this list' }).click()
  await page.getByRole('heading', { name: 'Nothing to decide' }).waitFor()
  await page.getByRole('button', { name: 'New run of scribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor()
  await page.getByText('Writes notes').waitFor()
})

test('the command on the sign-in page is one that the program understands, and it makes a link', async () => {
  const page = await dashboard.openSignedOut('/')
  const command = (await page.locator('.command code').textContent()) ?? ''
  // As on the machine of the service, where a person fills in their address and names the project.
  const filled = command.replace('you@example.com', 'linus@example.com')
  const { root } = dashboard.desk
  const { stdout } = await paste(`${filled} --as linus@example.com --project '${root}'`)
  const [, link] = /^(http\S+)$/m.exec(stdout) ?? []
  const { pathname, hash } = new URL(link ?? '')
  const linus = await dashboard.openSignedOut(pathname + hash)
  await linus.getByRole('button', { name: 'Signed in as Linus' }).waitFor()
})

test('a page that does not exist and one that the person may not see look the same, and lead on', async () => {
  const { runId, requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/x.md', content: 'x' } }],
    'A note.',
  )
  const { db } = dashboard.desk.database
  const linus = await rowOf(db, 'person', { email: 'linus@example.com' })
  await db.deleteFrom('team_member').where('person_id', '=', linus.id).execute()
  const page = await dashboard.open('Linus', '/')
  const texts = new Set<string | null>()
  const unseen = [`/requests/${requestIds[0]}`, `/runs/${runId}`]
  for (const path of [
    ...unseen,
    '/requests/424242',
    '/requests/no-such',
    '/runs/no-such',
    '/nowhere',
  ]) {
    await page.goto(dashboard.url + path)
    await page.getByRole('heading', { level: 1, name: 'Nothing here that you may see' }).waitFor()
    texts.add(await page.locator('main').textContent())
  }
  expect(texts.size).toBe(1)
  await page.getByRole('link', { name: 'Go to the inbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  // Who is in no team can do none of the first steps.
  await page.getByRole('heading', { name: 'Nothing to decide' }).waitFor()
  expect(await page.getByRole('region', { name: 'The first five minutes' }).count()).toBe(0)
})

test('a page whose data cannot be loaded says so, names the log entry, and loads when tried again', async () => {
  const page = await dashboard.open('Grace', '/')
  let broken = true
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route(/\/v1\/(runs|schedules|triggers)(\?|$)/, async (route) => {
    if (!broken) return route.fallback()
    if (new URL(route.request().url()).pathname === '/v1/runs') await held
    const body = { code: 'internal', detail: 'Something went wrong', requestId: 'req-1' }
    await route.fulfill({ status: 500, contentType: 'application/problem+json', json: body })
  })
  const others = ['/v1/schedules', '/v1/triggers'].map((path) =>
    page.waitForResponse((response) => new URL(response.url()).pathname === path),
  )
  await page.getByRole('link', { name: 'Runs' }).click()
  for (const response of await Promise.all(others)) await response.finished()
  // Until what was answered is drawn.
  for (let frames = 0; frames < 5; frames += 1) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
  }
  // One message, although schedules and triggers could not be loaded either and answered first.
  const messages = page.getByText('This could not be loaded')
  expect(await messages.count()).toBe(0)
  go()
  const alert = page.getByRole('alert').filter({ has: messages })
  await alert.getByText('req-1').waitFor()
  expect(await messages.count()).toBe(1)
  broken = false
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.run-row').first().waitFor()
})

test('a part that could not be loaded says so in its card, without a heading or a page of its own, also when nothing is there', async () => {
  const { runId } = await askForNote(dashboard.desk, 'notes/of-a-failed-part.md')
  const page = await dashboard.open('Grace', '/account')
  const region = page.getByRole('region', { name: 'Remembered approvals' })
  for (const [status, code, words] of [
    [500, 'internal', 'This could not be loaded.'],
    [403, 'forbidden', 'You may not see this.'],
    [404, 'not_found', 'Nothing here that you may see.'],
  ] as const) {
    await page.route('**/v1/runs/*/grants*', (route) =>
      route.fulfill({ status, json: { code, detail: 'The words of the service' } }),
    )
    await page.goto(`${dashboard.url}/runs/${runId}`)
    await region.getByRole('alert').getByText(words).waitFor()
    await region.getByText('The words of the service').waitFor()
    expect(await region.getByRole('heading').allTextContents()).toEqual(['Remembered approvals'])
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    await page.unroute('**/v1/runs/*/grants*')
    await region.getByRole('button', { name: 'Try again' }).click()
    await region.getByText(/^None: /).waitFor()
  }
})

test('a page that could not be loaded while the database was away is there when it is back, without a press', async () => {
  await askForNote(dashboard.desk, 'notes/after-an-outage.md')
  const page = await dashboard.open('Grace', '/account')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  let isAway = true
  await page.route(/\/v1\/(runs|me)(\?|$)/, (route) => {
    if (!isAway) return route.fallback()
    const json = { code: 'unavailable', detail: 'The database does not answer' }
    return route.fulfill({ status: 503, json })
  })
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.getByText('The database does not answer').waitFor()
  isAway = false
  await page.locator('.run-row').first().waitFor()
})

test('a session that ended leads to the sign-in under the same address, and nothing stays on the page', async () => {
  const page = await dashboard.open('Grace', '/runs')
  await page.locator('.run-row').first().waitFor()
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/audit')
  expect(await page.locator('.run-row').count()).toBe(0)
  // Whoever signs in next sees what is theirs: nothing that was fetched before is shown.
  await page.getByLabel('Person').selectOption('ada@example.com')
  await page.getByLabel('Development token').fill(developmentToken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Signed in as Ada' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('an empty queue of one’s own says that others wait, and leads there', async () => {
  const page = await dashboard.open('Ada', '/?mine=true')
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  await page.locator('main').getByRole('link', { name: 'Show all that wait' }).click()
  await page.locator('.request-row').first().waitFor()
})

test('placeholders of a page that loads have the columns of the cards that come, and a part that fails says so in its card', async () => {
  // Insights has all of its cards once something was decided and something waits.
  const { desk } = dashboard
  const call = (path: string) => ({ tool: 'write_file', input: { path, content: 'Text' } })
  const { requestIds } = await ask(desk, [call('notes/a.md'), call('notes/b.md')], 'Two notes.')
  await desk.decide(desk.people.grace, requestIds[0]!)
  const page = await dashboard.open('Grace', '/')
  const columnsOf = (cards: string) =>
    page.locator(cards).evaluateAll((all) => {
      const boxes = all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0)
      return [...new Set(boxes.map(({ x }) => Math.round(x / 16)))].toSorted(
        (one, two) => one - two,
      )
    })
  const pages = [
    ['/account', '**/v1/me/notifications*', '.account-sections > .card'],
    ['/policy', '**/v1/workers?*lines=true*', '.policy .card'],
    ['/insights', '**/v1/insights?*', '.insight-pair > .card'],
  ] as const
  for (const [path, call, cards] of pages) {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    await page.route(call, async (route) => {
      await held
      await route.fallback()
    })
    await page.goto(dashboard.url + path)
    await page.locator('main [aria-busy=true] .card').first().waitFor()
    const before = await columnsOf('main [aria-busy=true] .card')
    go()
    await page.locator(cards).first().waitFor()
    expect(await columnsOf(cards)).toEqual(before)
  }
  await page.route('**/v1/insights/{attention,usage}*', (route) => route.abort())
  await page.goto(`${dashboard.url}/insights`)
  const card = page.getByRole('region', { name: 'What deserves a look' })
  await card.getByRole('button', { name: 'Try again' }).waitFor()
  const usage = page.getByRole('region', { name: 'Model usage by worker' })
  await usage.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute('**/v1/insights/{attention,usage}*')
  await card.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Expired unseen' }).waitFor()
})

test('a list of versions, of MCP servers or of remembered approvals that could not be loaded is loaded when tried again', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/of-failed-lists.md')
  const { run_id } = await rowOf(dashboard.desk.database.db, 'request', { id })
  const page = await dashboard.open('Grace', '/account')
  for (const [path, call, name, content] of [
    ['/policy', '**/v1/policy/activations*', 'Versions', /^1\. /],
    ['/policy', '**/v1/policy/definitions*', 'MCP servers', 'None.'],
    [`/runs/${run_id}`, '**/v1/runs/*/grants*', 'Remembered approvals', /^None: /],
  ] as const) {
    await page.route(call, (route) => route.abort())
    await page.goto(dashboard.url + path)
    const list = page.getByRole('region', { name })
    const again = list.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute(call)
    await again.click()
    await list.getByText(content).waitFor()
    expect(await again.count()).toBe(0)
  }
})

/** A page of a signed-in person that shows nothing, and the path of a request. */
async function requestBesideBlankPage(note: string): Promise<{ page: Page; path: string }> {
  const { id } = await askForNote(dashboard.desk, note)
  const page = await dashboard.open('Grace', '/account')
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  await page.goto('about:blank')
  return { page, path: `/requests/${id}` }
}

test('the faces, the script and the data of a request are asked for while the person still loads', async () => {
  const { page, path } = await requestBesideBlankPage('notes/first.md')
  // The answer about the person is held until all of these were requested.
  const needed = [/\.woff2$/, /request-page-[^/]*\.js$/, new RegExp(`/v1${path}$`)]
  const requests = needed.map((address) => page.waitForRequest((one) => address.test(one.url())))
  await page.route('**/v1/me', async (route) => {
    await Promise.all(requests)
    await route.continue()
  })
  await page.goto(dashboard.url + path)
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
})

test('a request that loaded before its person is drawn while nothing else of it loads', async () => {
  const { page, path } = await requestBesideBlankPage('notes/once.md')
  const first = page.waitForResponse(`**/v1${path}`)
  await page.route('**/v1/me', async (route) => {
    // Each later reading of the request gets no answer.
    await first
    await page.route(`**/v1${path}`, () => undefined)
    await route.continue()
  })
  await page.goto(dashboard.url + path)
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
})

test('no list says how many requests wait while the queues load', async () => {
  const page = await dashboard.open('Grace', '/account')
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/v1/queues*', async (route) => {
    await held
    await route.fallback()
  })
  await page.goto(dashboard.url)
  const queues = page.getByRole('navigation', { name: 'Queues' })
  await queues.getByText('All that wait').waitFor()
  expect(await queues.locator('.queue-count').count()).toBe(0)
  go()
  await queues.locator('.queue-count').first().waitFor()
})

test('a list of denied requests is not marked as one of the lists of waiting ones', async () => {
  const page = await dashboard.open('Grace', '/')
  const current = page.getByRole('navigation', { name: 'Queues' }).locator('[aria-current]')
  await current.getByText('All that wait').waitFor()
  await page.goto(`${dashboard.url}/?state=denied`)
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  expect(await current.allTextContents()).toEqual([])
})

test.each([
  ['/runs?worker=nobody', 'worker: is not a worker of this project', 'Show all runs', '/runs'],
  ['/?queue=nobody', 'queue: is not a queue of this project', 'Show all that wait', '/'],
])(
  'a list whose filter the service refuses leads to the whole list: %s',
  async (path, why, link, whole) => {
    const page = await dashboard.open('Grace', path)
    const alert = page.getByRole('alert').filter({ hasText: why })
    await alert.waitFor()
    expect(await alert.getByRole('button').count()).toBe(0)
    await alert.getByRole('link', { name: link }).click()
    await alert.waitFor({ state: 'detached' })
    const { pathname, search } = new URL(page.url())
    expect(pathname + search).toBe(whole)
  },
)

test('while the scripts are on their way the page says what it is, and without scripts what it needs', async () => {
  const page = await dashboard.openEmpty()
  await page.route('**/assets/*.js', () => new Promise(() => undefined))
  await page.goto(dashboard.url, { waitUntil: 'commit' })
  await page.getByText('Loading…').waitFor()
  await page.getByText('Countersign', { exact: true }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain('needs JavaScript')
  // Nothing of the page can say later that a script never came.
  const late = page.getByText('Reload the page')
  expect(await late.isVisible()).toBe(false)
  await page.evaluate(() => document.getAnimations().forEach((one) => one.finish()))
  await late.waitFor()
  const browser = await sharedBrowser()
  const without = await browser.newContext({ javaScriptEnabled: false })
  onTestFinished(() => without.close())
  const plain = await without.newPage()
  await plain.goto(dashboard.url)
  const words = plain.locator('body')
  await expect.poll(() => words.innerText()).toContain('needs JavaScript')
  expect(await words.innerText()).not.toContain('Loading')
  expect(dashboard.complaints).toEqual([])
})

test('a page of which a part does not load says so and how to go on, and the other pages are there', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.route('**/assets/audit-page-*.js', (route) => route.abort())
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('alert').getByText('This page cannot be shown').waitFor()
  await pages.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await page.unroute('**/assets/audit-page-*.js')
  await page.goto(`${dashboard.url}/audit`)
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor()
})

test.each([
  ['Control+k', 'its script', 'palette-*'],
  ['?', 'its script', 'help-sheet-*'],
  ['Control+k', 'its script and that of the messages', '{palette,message-stack}-*'],
] as const)(
  '%s without %s: a message says that it could not be loaded, and the page stays',
  async (key, _which, scripts) => {
    const page = await dashboard.open('Grace', '/')
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.route(`**/assets/${scripts}.js`, (route) => route.abort())
    await page.keyboard.press(key)
    const message = page.getByRole('alert').getByText('could not be loaded. Reload the page')
    await message.waitFor()
    const { y } = (await message.boundingBox())!
    expect(y).toBeLessThan(page.viewportSize()!.height)
    expect(await page.getByText('cannot be shown').count()).toBe(0)
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  },
)

test('a message on a phone is at the top, also if the script of the messages does not load', async () => {
  const page = await dashboard.open('Grace', '/', { viewport: phone })
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.route('**/assets/{palette,message-stack}-*.js', (route) => route.abort())
  await page.locator('.palette-button').click()
  const message = page.getByRole('alert').getByText('could not be loaded. Reload the page')
  await message.waitFor()
  expect((await message.boundingBox())!.y).toBeLessThan(phone.height / 2)
})

test('a confirmation that is refused leaves the focus on its button', async () => {
  const { runId } = await askForNote(dashboard.desk, 'notes/kept-run.md')
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByRole('button', { name: 'Cancel the run…' }).click()
  await page.route('**/cancel', (route) => route.fulfill({ status: 503, json: {} }))
  const confirm = page.getByRole('button', { name: 'Cancel the run', exact: true })
  await confirm.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('without a reason').waitFor()
  await expect.poll(() => confirm.evaluate((it) => it === document.activeElement)).toBe(true)
})

test.each([
  ['runs', '/runs', '.run-row', 'Show more'],
  ['audit', '/audit', '.audit-table tbody tr', 'Show more'],
  ['people', '/policy', '.person', 'Show more'],
  ['versions', '/policy', '#history-title ~ ul > li', 'Show older versions'],
])(
  'a list of %s that has more pages shows them when asked, and its end takes the focus of the button',
  async (_, path, rows, words) => {
    const { desk } = dashboard
    await desk.activate({ 'countersign.yaml': `${deskConfig}# for the list of ${path}${words}\n` })
    const page = await dashboard.open('Grace', path)
    await page.locator(rows).first().waitFor()
    const all = await page.locator(rows).count()
    const half = Math.ceil(all / 2)
    // Pages as the service makes them, of half of the list.
    await page.route(/[?&]limit=\d+/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, `limit=${half}`),
      }),
    )
    await page.reload()
    await page.locator(rows).first().waitFor()
    expect(await page.locator(rows).count()).toBe(half)
    const end = page.getByText('That is all.')
    const more = page.getByRole('button', { name: words })
    // Reading the trail is an event of it, so that the trail may have a third page.
    for (let pages = 1; pages < 4 && !(await end.isVisible()); pages += 1) {
      await more.focus()
      await page.keyboard.press('Enter')
      await page
        .locator(rows)
        .nth(pages * half)
        .waitFor()
      await end.or(more).waitFor()
    }
    expect(await page.locator(rows).count()).toBeGreaterThanOrEqual(all)
    await expect.poll(() => end.evaluate((it) => it === document.activeElement)).toBe(true)
  },
)
