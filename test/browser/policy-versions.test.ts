import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '../harness/fixtures/agent-desk.ts'
import { gitIn } from '../harness/fixtures/git/git-workspace.ts'
import { ask, openDashboard, phone } from './open-dashboard.ts'

const config = `${deskConfig.replace(
  'rights:',
  'routing:\n  - { when: { path: "infra/**" }, risk: high, quorum: { count: 2 } }\nrights:',
)}  activatePolicy: [operators, grace@example.com]
  managePeople: [operators]
`

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({ 'countersign.yaml': config })

test('routing is shown as it is in force, and a folder that is not valid with its problems', async () => {
  const page = await dashboard.open('Grace', '/policy')
  const routing = page.getByRole('region', { name: 'Routing' })
  await routing.getByText('infra/**').waitFor()
  await routing.getByText("risk high · 2 of the queue's team").waitFor()
  const queues = page.getByRole('region', { name: 'Queues' })
  await queues.getByText('expires after 3d').waitFor()
  await dashboard.desk.write('countersign.yaml', config.replace('rights:', 'right:'))
  await page.reload()
  const version = page.getByRole('region', { name: 'Version', exact: true })
  await version.getByRole('alert').getByText('the last valid version stays in force').waitFor()
  await version.getByText('did you mean "rights"?').waitFor()
  // The remedy is code, without its backticks.
  await dashboard.desk.write('countersign.yaml', config)
  await dashboard.desk.write('workers/scribe.md', deskWorker.replace('name: scribe', 'name: other'))
  await page.reload()
  await version.getByRole('code').getByText('name: scribe', { exact: true }).waitFor()
  expect(await version.innerText()).not.toContain('`')
  await dashboard.desk.write('workers/scribe.md', deskWorker)
})

test('a harmless change is activated by a person who saw what it changes; others see no such control', async () => {
  const { desk } = dashboard
  await desk.write(
    'countersign.yaml',
    config.replace('{ team: platform }', '{ team: platform, expiresAfter: 36h }'),
  )
  gitIn(desk, '.', 'init', '-q')
  gitIn(desk, '.', 'add', 'countersign.yaml', 'workers')
  gitIn(desk, '.', 'commit', '-qm', 'later')
  const ada = await dashboard.open('Ada', '/policy')
  const hers = ada.getByRole('region', { name: 'Version', exact: true })
  await hers.getByText(/^Activated/).waitFor()
  expect(await hers.getByRole('button').count()).toBe(0)
  const page = await dashboard.open('Grace', '/policy')
  const version = page.getByRole('region', { name: 'Version', exact: true })
  await version.getByText('queues.platform.expiresAfter').waitFor()
  await version.getByText('countersign.yaml', { exact: true }).click()
  await version.getByText('expiresAfter: 36h').first().waitFor()
  await version.getByRole('button', { name: 'Activate this version' }).click()
  await version.getByText('The project folder holds this version.').waitFor()
  await version.getByText('by Grace').waitFor()
  await version.getByText('committed by Ada <ada@example.com>').waitFor()
  const commit = gitIn(desk, '.', 'rev-parse', 'HEAD')
  expect(await page.locator('main').innerText()).not.toContain(commit)
  await version.getByText('Proof', { exact: true }).click()
  expect(
    await version.getByRole('button', { name: 'Copy the Git commit' }).getAttribute('title'),
  ).toContain(commit)
})

test('a change of who decides is proposed by one person and agreed to by another, who sees the same', async () => {
  await dashboard.desk.write(
    'countersign.yaml',
    config.replace('{ team: platform }', '{ team: platform, selfApproval: true }'),
  )
  const grace = await dashboard.open('Grace', '/policy')
  const first = grace.getByRole('region', { name: 'Version', exact: true })
  await first.getByText('A second person has to agree').waitFor()
  await first.getByRole('button', { name: 'Propose this version' }).click()
  await first.getByText('It waits for a second person.').waitFor()
  expect(await first.getByRole('button', { name: /Agree|Propose|Activate/ }).count()).toBe(0)
  const olga = await dashboard.open('Olga', '/policy')
  const second = olga.getByRole('region', { name: 'Version', exact: true })
  await second.getByText('queues.platform.selfApproval').first().waitFor()
  await second.getByRole('button', { name: 'Agree as the second person' }).click()
  await second.getByText('by Grace and Olga').waitFor()
  const history = olga.getByRole('region', { name: 'Versions' })
  await history.getByText('by Grace and Olga').waitFor()
  await history.getByText('What it changed').first().click()
  await history.getByText('queues.platform.selfApproval').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a person who opens a changed version sees which calls of the last 30 days it would decide differently, without a click', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/replayed.md', content: 'Text\n' }
  const { runId } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const file = join(desk.root, 'workers', 'scribe.md')
  const wider = (await readFile(file, 'utf8')).replace('write: ask', 'write: preApproved')
  await desk.write('workers/scribe.md', wider)
  const page = await dashboard.open('Grace', '/policy')
  const replay = page.getByRole('region', { name: 'What would change in the last 30 days' })
  await replay.getByText('Of 1 call, 1 would be decided differently.').waitFor()
  const differing = replay.getByRole('listitem').filter({ hasText: 'would run without approval' })
  await differing.getByText('write_file').waitFor()
  // It ended by itself, and takes no focus that nobody gave it.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  const newest = differing.getByRole('link', { name: 'Newest run' })
  expect(await newest.getAttribute('href')).toBe(`/runs/${runId}`)
  // Where the calls cannot be judged, the page says so, and the version can be activated.
  await page.route('**/v1/policy/replay', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
  await replay.getByRole('alert').getByText('The calls were not all judged').waitFor()
  await page.getByRole('button', { name: 'Activate this version' }).waitFor()
  await page.unroute('**/v1/policy/replay')
  await replay.getByRole('button', { name: 'Try again' }).click()
  await differing.waitFor()
  // The button is gone, and the focus is on the part that it opened.
  const result = replay.getByRole('status')
  await expect.poll(() => result.evaluate((it) => it === document.activeElement)).toBe(true)
  // No try can succeed once the folder has another version.
  const other = { digest: 'sha256:0', judged: 1, items: [], notJudged: [], nextCursor: null }
  await page.route('**/v1/policy/replay', (route) => route.fulfill({ json: other }))
  await page.reload()
  await replay.getByRole('alert').getByText('the folder has changed since').waitFor()
  expect(await replay.getByRole('button').count()).toBe(0)
  // Nobody activates a version whose effect could not be judged, because it is not there any more.
  const activate = page.getByRole('button', { name: 'Activate this version' })
  expect(await activate.count()).toBe(0)
  await page.unroute('**/v1/policy/replay')
  await page.getByRole('button', { name: 'Show the new difference' }).click()
  await differing.waitFor()
  await activate.waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('the difference of two versions says shell rules and routing in the words of the policy', async () => {
  const { desk } = dashboard
  const find = '{ pattern: find, approval: preApproved, unlessArgs: [-exec, -delete] }'
  const push = '{ pattern: git push, approval: blocked, reason: not from here }'
  await desk.activate({
    'workers/scribe.md': deskWorker.replace('---\nYou', `shell: { rules: [${find}] }\n---\nYou`),
  })
  const file = deskWorker.replace('---\nYou', `shell: { rules: [${push}] }\n---\nYou`)
  await desk.write('workers/scribe.md', file)
  const page = await dashboard.open('Grace', '/policy')
  const version = page.getByRole('region', { name: 'Version', exact: true })
  const rules = version.getByRole('listitem').filter({ hasText: 'workers.scribe.shell.rules' })
  await rules
    .getByText(
      'without approval: Run find, but not with -exec or -delete → never: Run git push · not from here',
    )
    .waitFor()
  // The page of the policy in force says the same of its rule.
  await page.getByRole('button', { name: /^scribe, Run commands/ }).click()
  await page.getByText('Run find, but not with -exec or -delete').last().waitFor()
})

const withDeadline = (hours: number) =>
  config.replace('{ team: platform }', `{ team: platform, expiresAfter: ${hours}h }`)

test('a difference that is shown is not replaced: a version that nobody looked at cannot be activated by a late click', async () => {
  await dashboard.desk.write('countersign.yaml', withDeadline(40))
  const page = await dashboard.open('Grace', '/policy')
  const version = page.getByRole('region', { name: 'Version', exact: true })
  const agree = version.getByRole('button', { name: /^(Activate|Propose) this version$/ })
  const difference = version.getByRole('listitem').filter({ hasText: 'expiresAfter' })
  const before = await difference.innerText()
  await agree.focus()
  await dashboard.desk.write('countersign.yaml', withDeadline(50))
  // The page loads everything again once the service is back.
  await dashboard.stopListening()
  await page.getByText('Reconnecting').waitFor()
  await dashboard.listenAgain()
  await version.getByText('The difference has changed since it was shown.').waitFor()
  expect(await difference.innerText()).toBe(before)
  expect(await agree.count()).toBe(0)
  // A phone that turns draws no other difference. It is above the matrix, on any screen.
  const matrix = page.getByRole('table', { name: 'What each worker may do' })
  expect((await version.boundingBox())?.y).toBeLessThan((await matrix.boundingBox())?.y ?? 0)
  await page.setViewportSize(phone)
  await page.evaluate(
    () => new Promise((turned) => requestAnimationFrame(() => requestAnimationFrame(turned))),
  )
  expect(await difference.innerText()).toBe(before)
  expect(await agree.count()).toBe(0)
  await version.getByRole('button', { name: 'Show the new difference' }).click()
  await agree.waitFor()
  expect(await difference.innerText()).not.toBe(before)
})

test('a difference that is shown stays while the policy and the workers cannot be loaded again', async () => {
  await dashboard.desk.write('countersign.yaml', withDeadline(60))
  const page = await dashboard.open('Grace', '/policy')
  const version = page.getByRole('region', { name: 'Version', exact: true })
  const difference = version.getByRole('listitem').filter({ hasText: 'expiresAfter' })
  const before = await difference.innerText()
  await dashboard.desk.write('countersign.yaml', withDeadline(70))
  const refused = new Set<string>()
  await page.route(/\/v1\/(policy|workers\?.*)$/, async (route) => {
    refused.add(new URL(route.request().url()).pathname)
    await route.fulfill({ status: 503, json: {} })
  })
  await dashboard.stopListening()
  await page.getByText('Reconnecting').waitFor()
  await dashboard.listenAgain()
  await expect.poll(() => refused.size).toBe(2)
  await version.getByText('The difference has changed since it was shown.').waitFor()
  expect(await difference.innerText()).toBe(before)
})

// Rules: product.md 18
test('a person who manages people disables somebody after reading what ends; the last of them is refused in words; others have no such control', async () => {
  const ada = await dashboard.open('Ada', '/policy')
  const hers = ada.getByRole('region', { name: 'People' })
  await hers.getByText('linus@example.com').waitFor()
  expect(await hers.getByRole('button').count()).toBe(0)
  const page = await dashboard.open('Olga', '/policy')
  const people = page.getByRole('region', { name: 'People' })
  await people.getByRole('button', { name: 'Disable Linus' }).click()
  const card = people.getByRole('region', { name: 'Disable Linus?' })
  await card.getByText('It cannot be undone').waitFor()
  await card.getByRole('button', { name: 'Disable for good' }).click()
  const row = people.getByRole('listitem').filter({ hasText: 'linus@example.com' })
  await row.getByText('disabled since').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  await expect.poll(() => row.evaluate((it) => it === document.activeElement)).toBe(true)
  await people.getByRole('button', { name: 'Disable Olga' }).click()
  await people.getByRole('button', { name: 'Disable for good' }).click()
  await people.getByRole('alert').getByText('You are the only person with the right').waitFor()
})
