import { nameForm } from '#domain/name-form.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { createWorkerName } from '#domain/tools/built-in-tools.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { lackingCapabilities } from '#policy/delegation/lacking-capabilities.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { openYaml } from '#policy/reading/open-yaml.ts'
import { Report } from '#policy/reading/report.ts'
import { isMapAt, readEntries, scalarOf } from '#policy/reading/yaml-field.ts'
import { splitFrontMatter } from '#policy/worker/front-matter.ts'
import { dataFolderName } from '#sandbox/hidden-paths.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { textWarnings } from '../presentations/text-warnings.ts'

const maxDefinitionCharacters = 64 * 1024
const lookEveryMs = 100

/** The project folder for new workers, and the policy as it is activated. */
export interface Project {
  readonly dir: string
  /**
   * how long the call waits for the API to activate the new worker; after that it says that the
   * worker is not in force
   */
  readonly inForceWithinMs: number
  inForce(): Promise<Policy>
}

const schema = z.strictObject({
  definition: z
    .string()
    .min(1)
    .max(maxDefinitionCharacters)
    .describe('The whole file: front matter with `name` and `model`, then the instructions.'),
})

/**
 * Writes a new worker into the project (product.md 24), which no other tool may do. It always asks
 * a person, at high risk, with the whole definition, after the same checks as `check`. Only the API
 * activates it.
 */
export function createWorker(
  policy: Policy,
  creator: WorkerDefinition,
  project: Project,
): NamedTool<typeof createWorkerName> {
  return defineBuiltIn({
    name: createWorkerName,
    description:
      'Write a new worker of this project, as Markdown with YAML front matter. It may do nothing that you cannot do yourself. A person reviews the whole file first.',
    schema,
    readOnly: false,
    scopes: ['once'],
    accesses: () => [],

    async present({ definition }, { toolHash }) {
      const created = checkDefinition(policy, creator, definition)
      const path = pathOf(created.name)
      await refuseExisting(project, created.name)
      return {
        effect: `Create the worker ${created.name}`,
        title: `Create worker ${created.name} (${definition.split('\n').length} lines)`,
        presentation: makePresentation({
          type: 'file_content',
          language: 'markdown',
          content: definition,
          metadata: {
            path,
            worker: created.name,
            model: created.model,
            baseHash: 'absent',
            newHash: hashBytes(definition),
          },
          warnings: textWarnings(definition.split('\n')),
        }),
        facts: { toolHash, bases: [], newHash: hashBytes(definition), detail: { path } },
        content: Buffer.from(definition),
        contentType: 'text/plain',
      }
    },

    async execute({ definition }, { signal }) {
      const created = checkDefinition(policy, creator, definition)
      await refuseExisting(project, created.name)
      const path = pathOf(created.name)
      const folder = await openWorkspace({ root: project.dir, hidden: [dataFolderName] })
      await folder.write(path, Buffer.from(definition), 'absent')
      const inForce = await untilInForce(project, created, signal)
      const output = { worker: created.name, path, hash: hashBytes(definition), inForce }
      const text = inForce
        ? `The worker ${created.name} is written to ${path} and in force.`
        : `The worker ${created.name} is written to ${path}. It is not in force until a person activates it: countersign policy activate.`
      return { type: 'output', output, text }
    },
  })
}

function pathOf(name: string): string {
  return `workers/${name}.md`
}

/** The worker of a definition, or every problem with its line, for the model. */
function checkDefinition(
  policy: Policy,
  creator: WorkerDefinition,
  definition: string,
): WorkerDefinition {
  const name = nameIn(definition)
  const isUsed = [...policy.workers.keys()].some(
    (used) => used.toLowerCase() === name.toLowerCase(),
  )
  if (isUsed) throw new ToolProblem(`There is a worker ${name} already; it is not changed.`)
  const texts = new Map(policy.files.texts).set(pathOf(name), definition)
  const parsedProject = parseProject({ ...policy.files, texts })
  if ('problems' in parsedProject) {
    const errors = parsedProject.problems.filter(({ severity }) => severity === 'error')
    throw new ToolProblem(problemLines(errors))
  }
  const created = parsedProject.policy.workers.get(name)
  if (created === undefined) throw new ToolProblem(`${pathOf(name)} defines no worker.`)
  const reasons = lackingCapabilities(creator, created)
  if (reasons.length === 0) return created
  throw new ToolProblem(
    `A worker that you write may do nothing that you cannot do yourself. This one has: ${reasons.join('; ')}.`,
  )
}

function problemLines(problems: readonly ProjectProblem[]): string {
  return problems
    .map(({ file, line, problem, remedy }) => `${file}:${line ?? 1}: ${problem}; ${remedy}`)
    .join('\n')
}

/** The name determines the path, so only a plain name is accepted, in any YAML notation. */
function nameIn(definition: string): string {
  const yaml = splitFrontMatter(definition)?.yaml
  const report = new Report()
  const root = yaml === undefined ? null : openYaml(report, 'definition', yaml)
  if (report.hasErrors) throw new ToolProblem(problemLines(report.all()))
  const entries = root === null || !isMapAt(root) ? [] : readEntries(root)
  const field = entries.find(([key]) => key === 'name')?.[1]
  const name = field === undefined ? undefined : scalarOf(field)
  if (typeof name === 'string' && nameForm.test(name)) return name
  throw new ToolProblem(
    'The definition begins with front matter that has a line `name: NAME`: letters, digits, "-" and "_", at most 64.',
  )
}

/** Files in the folder count too, activated or not. */
async function refuseExisting(project: Project, name: string): Promise<void> {
  const folder = await openWorkspace({ root: project.dir, hidden: [dataFolderName] })
  const state = await folder.state(pathOf(name), { clash: true })
  if (state.kind === 'absent' && state.clash === undefined) return
  throw new ToolProblem(`There is a file for a worker ${name} already; it is not changed.`)
}

async function untilInForce(
  project: Project,
  created: WorkerDefinition,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + project.inForceWithinMs
  while (performance.now() < deadline && !signal.aborted) {
    const now = (await project.inForce()).workers.get(created.name)
    if (now !== undefined) return now.digest === created.digest
    await delay(lookEveryMs)
  }
  return false
}
