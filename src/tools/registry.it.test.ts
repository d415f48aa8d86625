import { describe, expect, it } from 'vitest'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { loadToolDescriptions } from './custom/load-tool-descriptions.ts'
import { policyOf, projectWith, toolProject, toolFile } from './custom/project.fixture.ts'
import type { ToolProcess } from './custom/tool-process.ts'
import { buildRegistry } from './registry.ts'

describe('the tools of a worker', () => {
  it('are the file tools when it has zones, and only the custom tools that it lists', async () => {
    await using project = await toolProject({ a: '', b: '' })
    const policy = policyOf('  b: {}')
    const worker = policy.workers.get('w') as WorkerDefinition
    const zoned: WorkerDefinition = {
      ...worker,
      zones: [
        {
          name: 'all',
          root: '',
          mode: 'rw',
          suffixes: null,
          approval: {},
          protected: [],
          source: '',
        },
      ],
    }
    const names = async (definition: WorkerDefinition, toolProcess: ToolProcess | null) => {
      const workers = new Map([['w', definition]])
      const registry = await buildRegistry({
        policy: { ...policy, workers },
        worker: 'w',
        toolProcess,
      })
      expect(registry.get('__proto__')).toBeUndefined()
      expect(registry.get('constructor')).toBeUndefined()
      return registry.all().map((tool) => tool.name)
    }
    expect(await names(worker, project.toolProcess)).toEqual(['read_result', 'b'])
    expect(await names(zoned, project.toolProcess)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'write_file',
      'edit_file',
      'delete_file',
      'move_file',
      'read_result',
      'b',
    ])
    expect(await names(worker, null)).toEqual(['read_result'])
  })

  it('are described for check, with every problem of every file', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', ''),
      'tools/b.ts': 'const = 1',
    })
    const descriptions = await loadToolDescriptions(project)
    expect(descriptions.tools.map((tool) => tool.name)).toEqual(['a'])
    expect(descriptions.problems).toMatchObject([{ file: 'tools/b.ts', line: 1 }])
  })
})
