import { access, mkdtemp, rm } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measuredFailures, type MeasuredAgent } from '../../../scripts/tables/measured-hooks.ts'
import { unreachable } from '../runtimes/runtimes.ts'
import { ModelServer } from './model-server.ts'
import { realAgents } from './real-agents.ts'
import { putFile } from '../../harness/put-file.ts'

/** Whether the agent makes a call whose hook is `command`. */
async function makesCall(name: MeasuredAgent, command: string): Promise<boolean> {
  const { prepare, program, programs, runs, settings, work } = realAgents[name]
  await using model = await ModelServer.start()
  const folder = await mkdtemp(join(tmpdir(), 'countersign failing '))
  const place = { folder, modelUrl: model.url }
  await prepare(place)
  const [file, contents] = settings(command, 1)
  putFile(folder, file, JSON.stringify(contents))
  model.calls = [runs('mkdir made')]
  const { args, env } = work(place)
  const options = {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), ...env },
  }
  await new Promise<void>((resolve) => {
    execFile(programs.file(program), args, options, () => resolve()).stdin?.end()
  })
  // Its model was told what became of the call.
  expect(model.conversation).toContain('mkdir made')
  const isMade = await access(join(folder, 'made')).then(
    () => true,
    () => false,
  )
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  return isMade
}

test.concurrent.for(Object.keys(realAgents) as MeasuredAgent[])(
  '%s does what the documentation says when a hook dies, is late or answers wrongly',
  { timeout: 600_000 },
  async (name, { skip }) => {
    const missing = await realAgents[name].programs.install().then(() => null, unreachable)
    if (missing !== null) skip(`${name} cannot be installed: ${missing}`)
    for (const { command, isMade } of measuredFailures(name)) {
      expect({ command, isMade: await makesCall(name, command) }).toEqual({ command, isMade })
    }
  },
)
