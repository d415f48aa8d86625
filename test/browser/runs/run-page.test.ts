import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { lengthenRun } from '../../harness/fixtures/runs/long-run.ts'
import { deskConfig, deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf } from '../../harness/fixtures/rows.ts'
import { ask, askForNote, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

let file = 0

const newNote = () => askForNote(dashboard.desk, `notes/run-${++file}.md`)
const runOf = (id: string) =>
  dashboard.desk.database.db
    .selectFrom('run')
    .select(['state', 'end_reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

// Rules: product.md 32
test('the page shows what the model of the run is told of its world, once somebody asks for it', async () => {
  const { runId } = await newNote()
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  const about = page.getByRole('region', { name: 'About' })
  await about.getByText('Window', { exact: true }).waitFor()
  expect(addresses.some((url) => url.endsWith('/preamble'))).toBe(false)
  await about.getByText('Preamble of the model').click()
  await about.getByText('- Write and edit files in notes/').waitFor()
})

// Rules: product.md 10
test('an approval for the run is listed there with what it covers and who gave it, and who gave it can revoke it', async () => {
  const { runId, id, path } = await newNote()
  const { desk } = dashboard
  await desk.decide(desk.people.grace, id, { scope: 'path' })
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  const grants = page.getByRole('region', { name: 'Remembered approvals' })
  await grants.getByText(`${path}, any content`).waitFor()
  await grants.getByText('by Grace').waitFor()
  await grants.getByRole('button', { name: 'Revoke' }).click()
  await grants.getByText('Revoked by Grace').waitFor()
  expect(await grants.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  const row = await rowOf(desk.database.db, 'approval_grant', { request_id: id })
  expect(row.revoked_at).not.toBeNull()
})

// Rules: product.md 10; security.md 16
test('a person reads exactly what an approval for the run covers before giving it, and bounds it in uses and time', async () => {
  const { runId, id, path } = await newNote()
  const { desk } = dashboard
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  const covers = page.getByRole('status', { name: 'What this approval covers' })
  await covers.getByText('This call, once.').waitFor()
  await page.getByLabel('Scope', { exact: true }).selectOption('run')
  await covers.getByText('Every further write_file with exactly these arguments.').waitFor()
  await page.getByLabel('Scope', { exact: true }).selectOption('path')
  await covers.getByText(`Every further write_file on ${path}, whatever the content.`).waitFor()
  await covers.getByText('In this run and every run it starts').waitFor()
  await page.getByLabel('At most this many uses').fill('3')
  await page.getByLabel('Until').fill('2020-01-01T10:00')
  await page.getByText('Until must be in the future.').waitFor()
  await page.getByLabel('Until').fill('2099-01-01T10:00')
  await covers
    .getByText('At most 3 uses, until 1 Jan 2099, 10:00, or until the root run ends.')
    .waitFor()
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('Approved by you').waitFor()
  // Where it was given, for everybody who reads the request.
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  const given = linus.getByRole('region', { name: 'Decisions on this call' })
  await given.getByText('used 0 of 3, 3 left · until 1 Jan 2099, 10:00').waitFor()
  await page.goto(`${dashboard.url}/runs/${runId}`)
  const grants = page.getByRole('region', { name: 'Remembered approvals' })
  await grants.getByText('used 0 of 3, 3 left').waitFor()
  const [grant] = await rowsOf(
    desk.database.db,
    'approval_grant',
    { request_id: id },
    'scope',
    'path',
    'uses_allowed',
    'expires_at',
  )
  expect(grant).toMatchObject({ scope: 'path', path, uses_allowed: 3 })
  expect(grant?.expires_at?.getUTCFullYear()).toBeGreaterThan(2097)
})

test('a person who may not revoke an approval sees it without a button for that', async () => {
  const { runId, id } = await newNote()
  const { desk } = dashboard
  await desk.decide(desk.people.grace, id, { scope: 'run' })
  const page = await dashboard.open('Linus', `/runs/${runId}`)
  const grants = page.getByRole('region', { name: 'Remembered approvals' })
  await grants.getByText('by Grace').waitFor()
  expect(await grants.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
})

test('a run is cancelled only after being asked twice, with the reason, and its requests are gone', async () => {
  const { runId, id } = await newNote()
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByRole('button', { name: 'Cancel the run…' }).click()
  await page.getByRole('button', { name: 'Keep the run going' }).click()
  expect((await runOf(runId)).state).toBe('waiting_for_approval')
  await page.getByRole('button', { name: 'Cancel the run…' }).click()
  await page.getByLabel('Reason').fill('the wrong release')
  await page.getByRole('button', { name: 'Cancel the run', exact: true }).click()
  await page.getByText('Reason for the end: “the wrong release”').waitFor()
  expect(await page.getByRole('button', { name: /^Cancel the run/ }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0)
  expect((await runOf(runId)).state).toBe('cancelled')
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByText('Cancelled: its run was cancelled').first().waitFor()
  expect(await grace.getByRole('radio').count()).toBe(0)
})

test('a person who neither started a run nor manages runs can neither write to it nor cancel it', async () => {
  const { runId } = await newNote()
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await page.locator('.turn').first().waitFor()
  expect(await page.getByRole('button', { name: /Cancel the run|Send/ }).count()).toBe(0)
})

test('a message that is refused is said to be and stays in the box', async () => {
  const { runId } = await newNote()
  const page = await dashboard.open('Olga', `/runs/${runId}`)
  await page.getByRole('textbox').fill('Please hurry')
  const { desk } = dashboard
  await desk.activate({
    'countersign.yaml': deskConfig.replace('manageRuns: [operators]', 'manageRuns: [platform]'),
  })
  await page.getByRole('button', { name: 'Send' }).click()
  const box = page.getByRole('form', { name: 'Message to the run' })
  await box.getByRole('alert').waitFor()
  expect(await page.getByRole('textbox').inputValue()).toBe('Please hurry')
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await page.getByText('Nothing here that you may see').waitFor()
  await desk.activate({ 'countersign.yaml': deskConfig })
})

// Rules: security.md 20
test('a text that looks like a secret in the words and calls of a run is a chip until its reader asks, which is recorded', async () => {
  const { desk } = dashboard
  const token = `ghp_${'b2'.repeat(18)}`
  const input = { path: 'notes/token.md', content: `use ${token}\n` }
  const { runId } = await ask(desk, [{ tool: 'write_file', input }], `I write ${token} down.`)
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const turns = page.getByRole('region', { name: 'Turns' })
  const chip = turns.getByRole('button', { name: 'GitHub token, 40 characters' })
  await turns.getByText('I write').waitFor()
  expect(await page.locator('main').textContent()).not.toContain(token)
  await chip.first().click()
  await turns.getByText(`I write ${token} down.`).waitFor()
  expect(await chip.count()).toBe(0)
  const revealed = await rowsOf(
    desk.database.db,
    'audit_event',
    { run_id: runId, type: 'content.revealed' },
    'document',
  )
  expect(revealed).toHaveLength(1)
  expect(JSON.stringify(revealed)).not.toContain(token)
})

// Rules: product.md 28
test('the files that a run changed stand beside it, with their lines, their requests and what is not known', async () => {
  const { desk } = dashboard
  await desk.write('scratch/old.txt', 'one\ntwo\n')
  const { path, runId, id, callId } = await newNote()
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const changed = page.getByRole('region', { name: /^Files changed/ })
  await changed.getByText('No known change.').waitFor()
  await desk.decide(desk.people.grace, id)
  await desk.execute(callId)
  const written = changed.getByRole('listitem').filter({ hasText: path })
  await written.getByLabel('1 line added').waitFor()
  desk.say({
    calls: [
      { tool: 'move_file', input: { from: 'scratch/old.txt', to: 'scratch/new.txt' } },
      ...Array.from({ length: 9 }, (_, at) => ({
        tool: 'write_file',
        input: { path: `scratch/many-${at}.txt`, content: 'x\n' },
      })),
    ],
  })
  await desk.perform(await desk.turn(runId, 2))
  await changed.getByRole('heading', { name: 'Files changed (11)' }).waitFor()
  expect(await changed.getByRole('listitem').count()).toBe(8)
  await changed.getByRole('button', { name: 'Show 3 more' }).click()
  await changed.getByText('scratch/old.txt → scratch/new.txt').waitFor()
  expect(await changed.getByRole('listitem').count()).toBe(11)
  expect(await written.getByRole('link', { name: 'turn 1: write_file' }).getAttribute('href')).toBe(
    `/runs/${runId}#call-${callId}`,
  )
  const request = written.getByRole('link', { name: /^#\d+$/ })
  const number = await request.innerText()
  await request.click()
  await page.waitForURL((url) => url.pathname === `/requests/${number.slice(1)}`)
})

test('an address leads to a turn of a long run, and so does the field for turns', async () => {
  const { desk } = dashboard
  await desk.write('notes/read.md', 'Text\n')
  const runId = await desk.start()
  desk.say({ calls: [{ tool: 'read_file', input: { path: 'notes/read.md' } }] })
  await desk.perform(await desk.turn(runId, 1))
  await lengthenRun(desk.database.db, runId, 40)
  const page = await dashboard.open('Ada', `/runs/${runId}#turn-20`)
  const isOnScreen = (turn: number) =>
    page.locator(`#turn-${turn}`).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })
  await expect.poll(() => isOnScreen(20)).toBe(true)
  expect(await isOnScreen(40)).toBe(false)
  const field = page.getByLabel('Turn, 1 to 40')
  await field.fill('41')
  await field.press('Enter')
  await page.getByText('There is no such turn.').waitFor()
  await field.fill('3')
  await field.press('Enter')
  await expect.poll(() => isOnScreen(3)).toBe(true)
  expect(await page.locator('#turn-3').evaluate((it) => it === document.activeElement)).toBe(true)
  // A page of a running run that is opened again is at the place of the last visit, not at the end.
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await expect.poll(() => isOnScreen(40)).toBe(true)
  await field.fill('7')
  await field.press('Enter')
  await expect.poll(() => isOnScreen(7)).toBe(true)
  await page.getByRole('link', { name: 'Inbox', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.goBack()
  await expect.poll(() => isOnScreen(7)).toBe(true)
  expect(await isOnScreen(40)).toBe(false)
  await page.reload()
  await expect.poll(() => isOnScreen(7)).toBe(true)
})

// Rules: product.md 35
test('the worktree of a run that has ended is discarded on its page once that is confirmed, and not before it ended', async () => {
  const { desk } = dashboard
  const shop = join(desk.root, 'shop')
  const git = (...words: string[]): string => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    const env = { PATH: process.env['PATH'], HOME: desk.root, GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', [...identity, ...words], { cwd: shop, env, encoding: 'utf8' })
  }
  await desk.write('shop/a.txt', 'a\n')
  git('init', '-q', '-b', 'main', '.')
  git('add', '-A')
  git('commit', '-qm', 'first')
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces: { default: { root: . }, shop: { root: shop, isolation: worktree, base: main } }\n`,
    'workers/keeper.md': deskWorker.replace('name: scribe', 'name: keeper\nworkspace: shop'),
  })
  const runId = await desk.start({ worker: 'keeper' })
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'scratch/a.txt', content: 'x\n' } }] })
  await desk.perform(await desk.turn(runId, 1))
  const ada = await dashboard.open('Ada', `/runs/${runId}`)
  await ada.getByRole('button', { name: 'Cancel the run…' }).waitFor()
  const discard = ada.getByRole('button', { name: 'Discard the worktree…' })
  expect(await discard.count()).toBe(0)
  desk.say({ text: 'Done.' })
  await desk.turn(runId, 2)
  await closeRun(desk.worker, { runId })
  await ada.reload()
  await discard.click()
  await ada.getByRole('button', { name: 'Keep the worktree' }).click()
  await discard.click()
  expect(git('branch', '--list')).toContain('countersign/')
  await ada.getByRole('button', { name: 'Discard the worktree', exact: true }).click()
  const about = ada.getByRole('region', { name: 'About' })
  await about.getByText(/worktree discarded/).waitFor()
  expect(await discard.count()).toBe(0)
  expect(git('branch', '--list').trim()).toBe('* main')
})
