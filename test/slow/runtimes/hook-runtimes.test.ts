import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openPackedProject, runProgram } from '../../packages/packed.ts'
import { installRuntimes, runtimeFile } from './runtimes.ts'

beforeAll(installRuntimes)

test.each(['node-18', 'node-20', 'node-22'])(
  'the hook from its tarball answers under %s',
  async (name) => {
    await using project = await openPackedProject(['hook'])
    const file = join(project.folder, 'node_modules/countersign-hook/dist/countersign-hook.mjs')
    const ask = async (tool: string): Promise<string> => {
      const event = {
        session_id: 's',
        hook_event_name: 'PreToolUse',
        tool_name: tool,
        tool_input: {},
      }
      const input = await project.write('event.json', JSON.stringify(event))
      const line = '"$0" "$1" claude-code < "$2"'
      const args = ['-c', line, runtimeFile(`${name}/bin/node`), file, input]
      const env = {
        HOME: project.folder,
        COUNTERSIGN_API_KEY: 'cs_key',
        COUNTERSIGN_URL: 'http://127.0.0.1:9',
      }
      return (await runProgram('/bin/sh', args, { env })).stdout
    }
    expect(await ask('TodoWrite')).toBe('{}\n')
    expect(await ask('Bash')).toContain(
      'no service answers at http://127.0.0.1:9, so this call does not run',
    )
  },
)
