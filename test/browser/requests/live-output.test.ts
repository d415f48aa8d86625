import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard({ sandbox: testSandbox }))
beforeAll(async () => {
  const { desk } = dashboard
  await desk.activate({
    'workers/scribe.md': deskWorker.replace('zones:', 'shell: { default: ask }\nzones:'),
  })
  for (const folder of ['scratch', 'notes']) await desk.write(`${folder}/here.md`, 'Here\n')
})

let commands = 0
/** A run of Ada's whose script is approved and runs; `wait N` in it waits for `go(N)`. */
async function running(script: string) {
  const { desk } = dashboard
  commands += 1
  const own = `go-${commands}`
  const wait = `wait() { while [ ! -e ${own}.$1 ]; do sleep 0.05; done; }\n`
  const input = { command: wait + script, cwd: 'scratch' }
  const turn = await ask(desk, [{ tool: 'shell', input }], 'I run it.')
  const [callId = ''] = turn.callIds
  await desk.decide(desk.people.grace, turn.requestIds[0] ?? '')
  const begin = (): Promise<unknown> =>
    executeCall(desk.worker, { callId, signal: new AbortController().signal })
  const go = (step: number): Promise<void> => desk.write(`scratch/${own}.${step}`, '')
  return { runId: turn.runId, requestId: turn.requestIds[0] ?? '', callId, begin, go }
}

const output = (page: Page) => page.getByRole('log', { name: 'standard output so far' })
const isAtEnd = (page: Page): Promise<boolean> =>
  output(page).evaluate((at) => at.scrollHeight - at.scrollTop - at.clientHeight < 24)

describe.skipIf(!testSandbox.works)('the run page of a command that runs', () => {
  for (const [scheme, viewport] of [
    ['light', { width: 1280, height: 900 }],
    ['dark', phone],
  ] as const) {
    test(`shows what it prints as it comes, hidden characters as marks, until the result is there, ${scheme} at ${viewport.width} px`, async () => {
      const script = String.raw`printf 'one \033[31mred\007\342\202'; wait 1
        printf '\254<b>bold</b>\nfailing\n' ; echo 'it is odd' >&2; wait 2; echo last; exit 3`
      const { begin, go, runId, requestId } = await running(script)
      const page = await dashboard.open('Ada', `/runs/${runId}`, { viewport, scheme })
      await page.getByText('Live', { exact: true }).waitFor()
      const ended = begin()
      await page.getByText('It is running. This is its output so far.').waitFor()
      await output(page).getByText('one').waitFor()
      await page.getByText('shell is at work.').waitFor()
      expect(await output(page).locator('.chip').allTextContents()).toEqual(['ESC', 'BEL'])
      await go(1)
      await output(page).getByText('€<b>bold</b>').waitFor()
      await page
        .getByRole('log', { name: 'standard error so far' })
        .getByText('it is odd')
        .waitFor()
      expect(await axeProblems(page)).toEqual([])
      await go(2)
      await ended
      await page.getByText('Ended with exit code 3', { exact: true }).waitFor()
      await output(page).waitFor({ state: 'detached' })
      await page.getByText('last', { exact: true }).waitFor()
      await page.getByText('The model is at work.').waitFor()
      await page.goto(`${dashboard.url}/requests/${requestId}`)
      await page.getByText('It ran and ended with exit code 3').waitFor()
      await page.getByText('last', { exact: true }).first().waitFor()
      // The sentence of the outcome already says how it ended.
      expect(await page.getByText('Ended with exit code 3', { exact: true }).count()).toBe(0)
      expect(dashboard.complaints).toEqual([])
    })
  }

  test('follows the end while it is looked at, stays where one has scrolled to, and draws a bounded part', async () => {
    const script = 'seq 1 3000; wait 1; seq 3001 6000; wait 2; seq 6001 9000; wait 3'
    const { begin, go, runId } = await running(script)
    const page = await dashboard.open('Ada', `/runs/${runId}`)
    const addresses: string[] = []
    page.on('request', (request) => void addresses.push(request.url()))
    await page.getByText('Live', { exact: true }).waitFor()
    const ended = begin()
    await output(page).getByText('3000', { exact: true }).waitFor()
    await expect.poll(() => isAtEnd(page)).toBe(true)
    // So does a page that is opened while it is silent, whose parts are drawn after it is loaded.
    const later = await dashboard.open('Ada', `/runs/${runId}`)
    await output(later).getByText('3000', { exact: true }).waitFor()
    await expect.poll(() => isAtEnd(later)).toBe(true)
    await later.context().close()
    await go(1)
    await output(page).getByText('6000', { exact: true }).waitFor()
    expect(await isAtEnd(page)).toBe(true)
    expect(await page.locator('.so-far-line').count()).toBe(200)
    // 1 to 5,800 and their line feeds.
    await page.getByText('bytes so far; the first 27,893 are not shown here').waitFor()
    await output(page).evaluate((at) => at.scrollTo(0, 0))
    await go(2)
    await output(page).getByText('9000', { exact: true }).waitFor()
    expect(await output(page).evaluate((at) => at.scrollTop)).toBe(0)
    await go(3)
    await ended
    await output(page).waitFor({ state: 'detached' })
    // It came over the stream of the run, without polling.
    expect(addresses.filter((url) => url.includes('/output/'))).toEqual([])
    expect(addresses.filter((url) => url.endsWith('/stream')).length).toBeGreaterThan(0)
  })

  test('says that nobody knows how it ended, and never that what it had printed is its result', async () => {
    const { begin, callId, go, runId } = await running('echo half; wait 1')
    const page = await dashboard.open('Ada', `/runs/${runId}`)
    await page.getByText('Live', { exact: true }).waitFor()
    const ended = begin()
    await output(page).getByText('half').waitFor()
    await settleUnknown(dashboard.desk.worker, { callId })
    await page.getByText('Nobody knows how it ended.').waitFor()
    expect(await page.getByText('Returned', { exact: true }).count()).toBe(0)
    await go(1)
    await ended
  })
})
