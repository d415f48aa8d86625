import { rmSync } from 'node:fs'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFile, putFiles } from '#test/harness/put-file.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Policy } from '#policy/policy.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { buildRegistry } from '../registry.ts'
import { recordModules } from './modules/record-modules.ts'
import { openToolProcess, type ToolProcess } from './tool-process.ts'

/** A project folder far from the service, with these tool files and their processes, for tests. */
export async function projectWith(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {
    OWN_TOKEN: 'owner',
    DATABASE_URL: 'postgres://secret',
  },
) {
  const projectDir = newFolder('project with spaces-')
  const put = (at: string, content: string): void => putFile(projectDir, at, content)
  putFiles(projectDir, files)
  const own = Object.entries(files)
    .filter(([at]) => at.startsWith('tools/') && !at.includes('/node_modules/'))
    .map(([at, content]) => ({ path: at, hash: hashBytes(content) }))
  const modules = recordModules(
    projectDir,
    own.map((file) => file.path),
  )
  const toolFiles = [...own, ...modules]
  const toolProcess = await openToolProcess({ projectDir, toolFiles, environment })
  return {
    projectDir,
    toolProcess,
    toolFiles,
    environment,
    put,
    async [Symbol.asyncDispose](): Promise<void> {
      await toolProcess[Symbol.asyncDispose]()
      rmSync(projectDir, { recursive: true, force: true })
    },
  }
}

/** The same with a tool file for each tool: its name, and the body of `execute`. */
export function toolProject(bodies: Readonly<Record<string, string>>) {
  const files = Object.entries(bodies).map(([name, body]) => [
    `tools/${name}.ts`,
    toolFile(name, body),
  ])
  return projectWith(Object.fromEntries(files) as Record<string, string>)
}

/** A tool file with one tool, from the body of `execute`. */
export function toolFile(name: string, body: string, more = ''): string {
  return `import { z } from 'zod'
import { defineTool } from 'countersign'
export default defineTool({
  name: '${name}', description: 'Test tool ${name}',
  inputSchema: z.object({ text: z.string().default('none') }),
  ${more}
  execute: async (input, { signal, idempotencyKey }) => { ${body} },
})
`
}

/** A version with one worker that has these tools. */
export function policyOf(tools: string): Policy {
  const texts = new Map([
    [
      'countersign.yaml',
      'version: 1\nteams:\n  team: { members: [a@example.com] }\nqueues:\n  team: { team: team }\ndefaults: { queue: team }\n',
    ],
    [
      'workers/w.md',
      `---\nname: w\ndescription: A worker\nmodel: script:./s.yaml\ntools:\n${tools}\n---\nDo.\n`,
    ],
    ['s.yaml', 'turns:\n  - text: Done.\n'],
  ])
  const result = parseProject({ texts, toolFiles: [] })
  if (!('policy' in result)) throw new Error(JSON.stringify(result.problems))
  return result.policy
}

/** One tool as the registry of that worker has it. */
export async function toolOf(
  toolProcess: ToolProcess,
  name: string,
  setting = '{}',
): Promise<Tool> {
  const policy = policyOf(`  ${name}: ${setting}`)
  const tool = (await buildRegistry({ policy, worker: 'w', toolProcess })).get(name)
  if (tool === undefined) throw new Error(`${name} is not registered`)
  return tool
}
