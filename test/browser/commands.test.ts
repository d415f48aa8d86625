import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deskWorker } from '../harness/fixtures/agent-desk.ts'
import { ask, openDashboard, phone, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await openDashboard()
  await dashboard.desk.activate({
    'workers/scribe.md': deskWorker.replace('zones:', 'shell: { default: ask }\nzones:'),
  })
  await dashboard.desk.write('scratch/build.sh', 'echo built > out.txt\n')
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
})

for (const [scheme, viewport] of [
  ['light', { width: 1280, height: 900 }],
  ['dark', phone],
] as const) {
  // Rules: product.md 26
  test(`a command is shown word by word with all it rests on, ${scheme} at ${viewport.width} px`, async () => {
    const input = {
      file: 'sh',
      args: ['build.sh', 'a b\u202e'],
      cwd: 'scratch',
      timeoutSeconds: 60,
    }
    const { requestIds } = await ask(dashboard.desk, [{ tool: 'exec', input }], 'I build it.')
    const path = `/requests/${requestIds[0] ?? ''}`
    const page = await dashboard.open('Grace', path, { viewport, scheme })
    const effect = page.getByRole('region', { name: 'All that will happen' })
    await effect.getByText('"build.sh"').waitFor()
    await effect.getByText('runs code from the workspace (sh)').waitFor()
    await effect.getByText('No sandbox works on the host of this run').waitFor()
    await effect.getByText('Hidden characters: 1').waitFor()
    const facts = page.getByRole('region', { name: 'Facts' })
    for (const text of [
      'Working directory',
      'Time limit (s)',
      'Environment names',
      'scratch/build.sh',
      'Writable: notes',
      'sh is /usr/bin/sh',
      'Runs code from the workspace',
    ]) {
      await facts.getByText(text).first().waitFor()
    }
    const found = await new AxeBuilder({ page }).analyze()
    expect(found.violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  })
}
