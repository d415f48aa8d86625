import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf } from '../../harness/fixtures/rows.ts'
import { openDashboard, phone } from '../open-dashboard.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({
  'countersign.yaml': `${deskConfig}schedules:
  nightly: { worker: scribe, input: Draft the notes, cron: "0 6 * * 1-5", timezone: Europe/Berlin, as: ada@example.com }
  weekly: { worker: scribe, input: Sum up, cron: "0 7 * * 1", as: linus@example.com }
triggers:
  deploys: { worker: scribe, secret: "\${DEPLOYS_SECRET}", as: ada@example.com }
  reports: { worker: scribe, secret: "\${REPORTS_SECRET}" }
`,
  'workers/careful.md': deskWorker
    .replace('name: scribe', 'name: careful')
    .replace('zones:', 'startApproval: ask\nzones:'),
})

// Rules: product.md 45
test('the start of a run is approved like any request, on its own page or on the page of the run, which says that it waits', async () => {
  const { desk } = dashboard
  const runId = await desk.start({ worker: 'careful', input: 'Write the notes of 1.2' })
  const ada = await dashboard.open('Ada', `/runs/${runId}`)
  const banner = ada.getByText('It has not begun.')
  await banner.waitFor()
  expect(await ada.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
  const requestId = (await rowOf(desk.database.db, 'run', { id: runId })).start_request_id
  const grace = await dashboard.open('Grace', `/requests/${requestId ?? ''}`)
  await grace.getByText('Start a run of careful').first().waitFor()
  await grace.getByText('Runs without approval:').waitFor()
  expect(await axeProblems(grace)).toEqual([])
  expect(await grace.getByRole('radio', { name: 'Deny and stop' }).count()).toBe(0)
  await grace.getByRole('radio', { name: 'Approve as shown' }).check()
  await grace
    .getByRole('button', { name: /^Submit/ })
    .first()
    .click()
  await grace.getByText('Recorded. The run begins.').waitFor()
  await banner.waitFor({ state: 'detached' })
  const denied = await desk.start({ worker: 'careful', input: 'Write others' })
  const phoneOfGrace = await dashboard.open('Grace', `/runs/${denied}`, {
    viewport: phone,
    scheme: 'dark',
  })
  await phoneOfGrace.getByText('It has not begun.').waitFor()
  expect(await ada.getByRole('button', { name: /^Decide #/ }).count()).toBe(0)
  const decide = phoneOfGrace.getByRole('button', { name: /^Decide #/ })
  await decide.waitFor()
  await phoneOfGrace.keyboard.press('d')
  const form = phoneOfGrace.getByRole('region', { name: 'Start a run of careful' })
  await form.getByText('Runs without approval:').waitFor()
  expect(await axeProblems(phoneOfGrace)).toEqual([])
  await phoneOfGrace.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  expect(await decide.evaluate((it) => it === document.activeElement)).toBe(true)
  await decide.click()
  await form.getByRole('radio', { name: 'Deny', exact: true }).check()
  await form.getByLabel('Reason').fill('not now')
  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  await form.getByText('Denied by you').waitFor()
  await phoneOfGrace.getByText('It did not begin.').waitFor()
  await ada.goto(`${dashboard.url}/runs/${denied}`)
  await ada.getByText('Denied by Grace: “not now”').waitFor()
})

test('the runs page lists schedules in words with their next time, and a person with the right switches one off and on', async () => {
  const times = Array.from({ length: 21 }, (_, hour) => new Date(Date.now() - hour * 3_600_000))
  const missed = times.map((at) => ({ schedule: 'nightly', at, outcome: 'missed' }))
  await dashboard.desk.database.db.insertInto('schedule_time').values(missed).execute()
  const ada = await dashboard.open('Ada', '/runs')
  const section = ada.getByRole('region', { name: 'Schedules' })
  await section.getByText('every weekday at 06:00').waitFor()
  await section.getByText('0 6 * * 1-5').waitFor()
  await section.getByText('21 times missed in the last 7 days').click()
  await section.getByText('and 1 earlier').waitFor()
  expect(await section.locator('.start-missed time').count()).toBe(20)
  const nightly = section.getByRole('switch', { name: 'nightly starts runs' })
  expect(await section.getByRole('switch', { name: 'weekly starts runs' }).isDisabled()).toBe(true)
  await nightly.focus()
  await ada.keyboard.press('Space')
  await section.getByText('it is paused').waitFor()
  expect(await nightly.isChecked()).toBe(false)
  await ada.keyboard.press('Space')
  await section.getByText('it is paused').waitFor({ state: 'detached' })
  for (const scheme of ['light', 'dark'] as const) {
    const page = await dashboard.open('Ada', '/runs', { viewport: phone, scheme, hasTouch: true })
    await page.getByRole('region', { name: 'Schedules' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    // On a phone the runs come first, filters unfold, and a link leads to the schedules.
    const row = page.locator('.run-row').first()
    expect((await row.boundingBox())?.y).toBeLessThanOrEqual(phone.height / 3)
    expect(await page.getByRole('combobox', { name: 'State' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Filters', exact: true }).tap()
    await page.getByRole('combobox', { name: 'State' }).selectOption('running')
    await page.getByRole('button', { name: 'Filters, some are set' }).tap()
    await page.getByRole('link', { name: '2 schedules' }).tap()
    const heading = page.getByRole('heading', { name: 'Schedules' })
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(phone.height)
  }
  expect(dashboard.complaints).toEqual([])
})

test('a person who may manage a schedule starts a run of it now, once for two clicks, and a list that does not load says so', async () => {
  const { db } = dashboard.desk.database
  const count = async () =>
    (await rowsOf(db, 'run', { started_from: 'schedule:nightly' }, 'id')).length
  const before = await count()
  const ada = await dashboard.open('Ada', '/runs')
  const section = ada.getByRole('region', { name: 'Schedules' })
  await section.getByRole('button', { name: 'Start now: nightly' }).dblclick()
  await section.getByText('Started run #').waitFor()
  expect(await count()).toBe(before + 1)
  expect(await section.getByRole('button', { name: 'Start now: weekly' }).count()).toBe(0)
  await ada.route('**/v1/schedules', (route) => route.abort())
  await ada.reload()
  await section.getByText('The service cannot be reached').waitFor()
  await ada.unroute('**/v1/schedules')
  await section.getByRole('button', { name: 'Try again' }).click()
  await section.getByText('every weekday at 06:00').waitFor()
})

test('the runs page lists triggers with the address to send to, and a person with the right switches one off and on', async () => {
  const ada = await dashboard.open('Ada', '/runs')
  const section = ada.getByRole('region', { name: 'Triggers' })
  await section.getByText('/v1/triggers/deploys').waitFor()
  const deploys = section.getByRole('switch', { name: 'deploys starts runs' })
  expect(await section.getByRole('switch', { name: 'reports starts runs' }).isDisabled()).toBe(true)
  await deploys.focus()
  await ada.keyboard.press('Space')
  await section.getByText('it is paused').waitFor()
  expect(await deploys.isChecked()).toBe(false)
  await ada.keyboard.press('Space')
  await section.getByText('it is paused').waitFor({ state: 'detached' })
  expect(dashboard.complaints).toEqual([])
})
