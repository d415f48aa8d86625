import { builtInToolNames, builtInTools, type BuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { buildRegistry } from '#tools/registry.ts'

/** The facts about each built-in tool, as rows of a table, the head first. */
export async function toolRows(): Promise<readonly (readonly string[])[]> {
  const rows = (await everyTool()).map((tool) => {
    const declared = builtInTools[tool.name]
    return [
      `\`${tool.name}\``,
      inputOf(tool),
      firstSentence(tool.description),
      declared.givenBy === null ? 'every worker' : `\`${declared.givenBy}\``,
      consentOf(declared),
      declared.risk,
    ]
  })
  return [['tool', 'input', 'does', 'given by', 'who agrees', 'risk'], ...rows]
}

/** The built-in tools of a worker that has them all, on a host with a sandbox. */
async function everyTool() {
  const names = builtInToolNames.filter((name) => builtInTools[name].givenBy === 'tools')
  const parsedProject = parseProject({
    texts: new Map([
      ['countersign.yaml', 'version: 1\n'],
      ['script.yaml', 'turns: []\n'],
      [
        'workers/all.md',
        `---
model: script:./script.yaml
zones: [{ name: all, root: ., mode: rw }]
shell: { default: ask }
workers: [all]
tools: { ${names.map((name) => `${name}: {}`).join(', ')} }
---
Do all.
`,
      ],
    ]),
    toolFiles: [],
  })
  if ('problems' in parsedProject) throw new Error(JSON.stringify(parsedProject.problems))
  const { policy } = parsedProject
  const bounds = { memory: true, processes: true }
  const registry = await buildRegistry({
    policy,
    worker: 'all',
    toolProcess: null,
    commands: {
      sandbox: { works: true, bwrap: '', launch: [], folders: [], bounds },
      dataDir: '/',
      projectDir: '/',
    },
    project: { dir: '/', inForceWithinMs: 0, inForce: async () => policy },
  })
  return builtInToolNames.map((name) => {
    const tool = registry.get(name)
    if (tool === undefined) throw new Error(`No worker has the tool ${name}`)
    return { ...tool, name }
  })
}

function inputOf({ jsonSchema }: Pick<Tool, 'jsonSchema'>): string {
  const { properties, required } = jsonSchema
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties as object)
    .map((name) => `\`${name}${needed.includes(name) ? '' : '?'}\``)
    .join(', ')
}

function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.)\s/)
  return sentence.replace(/\.$/, '')
}

function consentOf({ consent, operations }: BuiltInTool): string {
  switch (consent) {
    case 'zones': {
      const stricter = operations.length > 1 ? ', the stricter' : ''
      return `zones: ${operations.map((operation) => `\`${operation}\``).join(' and ')}${stricter}`
    }
    case 'shell':
      return 'shell rules'
    case 'tools':
      return 'asks, unless `tools` says otherwise'
    case 'approval':
      return 'a person, always'
    case 'answer':
      return 'a person answers'
    case 'nobody':
      return 'nobody: the run got this result before'
  }
}
