import { runSteps, type Step } from './testing/run-steps.ts'

/**
 * `npm run verify`: everything that can be checked without services. CI begins with
 * `npm run verify -- --checks`, and runs the unit tests with the other tests.
 */
const forVitest = process.argv.slice(2)
const steps: Step[] = [
  types('types', 'tsconfig.json'),
  types('types of the dashboard', 'src/ui/tsconfig.json'),
  types('types of the service worker', 'src/ui/service-worker/tsconfig.json'),
  types('types of the chat example', 'examples/chat/tsconfig.json'),
  types('types of the browser tests', 'test/browser/tsconfig.json'),
  types('types of the workflows', 'tsconfig.workflows.json'),
  types('types of the client package', 'packages/client/tsconfig.json'),
  types('types of the tools package', 'packages/tools/tsconfig.json'),
  types('types of the AI SDK package', 'packages/ai-sdk/tsconfig.json'),
  types('types of the OpenAI Agents package', 'packages/openai-agents/tsconfig.json'),
  types('types of the LangChain package', 'packages/langchain/tsconfig.json'),
  types('types of the Mastra package', 'packages/mastra/tsconfig.json'),
  types('types of the Temporal package', 'packages/temporal/tsconfig.json'),
  { name: 'lint', program: 'oxlint', args: ['--deny-warnings'] },
  { name: 'format', program: 'oxfmt', args: ['--check'] },
  { name: 'dashboard', program: 'node', args: ['scripts/build.ts'] },
  { name: 'dead code', program: 'knip', args: [] },
  { name: 'layers', program: 'node', args: ['scripts/gates/check-layers.ts'] },
  { name: 'calls of the API', program: 'node', args: ['scripts/gates/check-api-calls.ts'] },
  { name: 'vocabularies', program: 'node', args: ['scripts/gates/check-vocabularies.ts'] },
  { name: 'comments', program: 'node', args: ['scripts/gates/check-comments.ts'] },
  { name: 'names', program: 'node', args: ['scripts/gates/check-names.ts'] },
  { name: 'rulings', program: 'node', args: ['scripts/gates/check-rulings.ts'] },
]
if (!forVitest.includes('--checks'))
  steps.push({
    name: 'unit tests',
    program: 'vitest',
    args: ['run', '--project', 'unit', ...forVitest],
  })

const results = await runSteps(steps, 2)
const failed = results.filter((result) => result.exitCode !== 0)
if (failed.length > 0) {
  console.error(`\n${failed.map((result) => result.step.name).join(', ')}: not as it should be`)
  process.exitCode = 1
}

/** What did not change since the last check is not checked again. */
function types(name: string, project: string): Step {
  const remembered = `node_modules/.cache/${project.replaceAll('/', '-')}.tsbuildinfo`
  const args = ['-p', project, '--incremental', '--tsBuildInfoFile', remembered]
  return { name, program: 'tsc', args }
}
