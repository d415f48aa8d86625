import { expect, test } from 'vitest'
import { contextOf } from '../../worker/context-of.ts'
import { costOf, priceOf } from '../../worker/price-of.ts'
import { parseProject } from '../parse-project.ts'

function read(models: string, limits = '') {
  const worker = `---\nname: w\nmodel: anthropic:claude-x\n${limits}\n---\nWork.\n`
  const texts = new Map([
    ['countersign.yaml', `version: 1\n${models}\n`],
    ['workers/w.md', worker],
  ])
  const project = parseProject({ texts, toolFiles: [] })
  return 'policy' in project ? project.policy.config : project.problems.map((one) => one.problem)
}

const price = { input: 3, cachedInput: 0.3, output: 15 }

// Rules: product.md 33
test.each([['claude-x'], ['"anthropic:claude-x"']])(
  'a model has its price under the name %s',
  (name) => {
    const config = read(
      `models: { ${name}: { price: { input: 3, cachedInput: 0.3, output: 15 } } }`,
    )
    if (Array.isArray(config)) throw new Error(config.join())
    expect(priceOf(config, 'anthropic:claude-x')).toEqual(price)
    expect(priceOf(config, 'openai:other')).toBeNull()
  },
)

test('cached tokens cost their own price, the others the full one, and no token counts twice', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 900_000, outputTokens: 100_000 }
  expect(costOf(price, usage)).toBeCloseTo(0.3 + 0.27 + 1.5, 9)
  // A provider that reports more cached tokens than tokens is not paid for it.
  expect(costOf(price, { ...usage, cachedInputTokens: 2_000_000 })).toBeCloseTo(0.3 + 1.5, 9)
})

test.each([
  ['models: { claude-x: { price: { input: 3 } } }', 'has no "output"'],
  ['models: { claude-x: { price: { input: -1, output: 1 } } }', 'is -1'],
  ['models: { claude-x: { price: { input: "3", output: 1 } } }', 'is "3"'],
  ['models: { claude-x: { prize: 1 } }', 'prize'],
  ['models: { claude-x: { context: 200k } }', 'is "200k"'],
  ['models: { claude-x: { context: 10 } }', 'is 10'],
  ['models: { local: { baseUrl: "http://h/v1" } }', 'is of an endpoint, which has a `provider`'],
  ['models: { local: { provider: openai-compatible } }', 'has no "baseUrl"'],
  ['models: { local: { provider: anthropic } }', 'has no "apiKey"'],
  ['models: { local: { provider: vertex } }', 'is "vertex"'],
  ['models: { openai: { provider: anthropic, apiKey: "${A}" } }', 'is not a name for an endpoint'],
  ['models: { "a:b": { provider: anthropic, apiKey: "${A}" } }', 'is not a name for an endpoint'],
  [
    'models: { l: { provider: openai-compatible, baseUrl: "file:///x" } }',
    'is not the address of an endpoint',
  ],
  [
    'models: { l: { provider: openai-compatible, baseUrl: "http://me:pw@h/v1" } }',
    'is not the address of an endpoint',
  ],
  ['models: { l: { provider: anthropic, apiKey: sk-live } }', 'is not a reference to a variable'],
  [
    'models: { l: { provider: anthropic, apiKey: "${COUNTERSIGN_SEAL_KEY}" } }',
    "names COUNTERSIGN_SEAL_KEY, the service's own",
  ],
  ['models: { " x": {} }', 'is not the name of a model'],
])('%s is an error: %s', (models, problem) => {
  expect(String(read(models))).toContain(problem)
})

test('a limit in money needs the price of the model', () => {
  const limits = 'limits: { costUsd: 5 }'
  expect(String(read('', limits))).toContain('needs the price of anthropic:claude-x')
  expect(
    Array.isArray(read('models: { claude-x: { price: { input: 1, output: 1 } } }', limits)),
  ).toBe(false)
  expect(String(read('', 'limits: { costUsd: 0 }'))).toContain('is 0')
})

// Rules: product.md 31
test('the context of a model is configured under either name, else built in, else 32,768 tokens', () => {
  const config = read(
    'models: { qwen: { context: 1000 }, "openai:gpt-5": { context: 2000 }, claude-x: { price: { input: 1, output: 1 } } }',
  )
  if (Array.isArray(config)) throw new Error(config.join())
  const models = ['openai-compatible:qwen', 'openai:gpt-5', 'anthropic:claude-x', 'google:gemini-9']
  expect(models.map((model) => contextOf(config, model))).toEqual([1000, 2000, 200_000, 1_048_576])
  expect(contextOf(config, 'openai-compatible:other')).toBe(32_768)
  expect(contextOf(config, 'script:a.yaml')).toBe(32_768)
})

test('an endpoint has the models of its workers, with a context and a price for all of them', () => {
  const local =
    'models: { local: { provider: openai-compatible, baseUrl: "http://127.0.0.1:1/v1", apiKey: "${LOCAL_KEY}", context: 5000, price: { input: 0, output: 0 } } }'
  const texts = (model: string) =>
    new Map([
      ['countersign.yaml', `version: 1\n${local}\n`],
      ['workers/w.md', `---\nname: w\nmodel: ${model}\nlimits: { costUsd: 1 }\n---\nWork.\n`],
    ])
  const project = parseProject({ texts: texts('local:qwen3'), toolFiles: [] })
  if (!('policy' in project)) throw new Error(JSON.stringify(project.problems))
  const { config } = project.policy
  expect(config.models.get('local')?.endpoint).toEqual({
    provider: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKeyFrom: 'LOCAL_KEY',
    pictures: false,
    source: 'countersign.yaml:2',
  })
  expect(contextOf(config, 'local:qwen3')).toBe(5000)
  expect(priceOf(config, 'local:qwen3')).toMatchObject({ input: 0 })
  const other = parseProject({ texts: texts('lokal:qwen3'), toolFiles: [] })
  const [problem] = 'problems' in other ? other.problems : []
  expect(problem).toMatchObject({ file: 'workers/w.md', problem: expect.stringContaining('lokal') })
  expect(problem?.remedy).toContain('did you mean "local"')
})

test.each([
  ['{ temperature: 3 }', 'is 3'],
  ['{ maxOutputTokens: 0 }', 'is 0'],
  ['{ reasoning: hard }', 'is "hard"'],
  ['{ cache: "yes" }', 'is "yes"'],
  ['{ topP: 1 }', 'topP'],
])('settings: %s is an error: %s', (settings, problem) => {
  expect(String(read('', `settings: ${settings}`))).toContain(problem)
})

test('settings are a part of what a run pins; without any, each is the provider’s default', () => {
  const workerOf = (settings: string) => {
    const texts = new Map([
      ['countersign.yaml', 'version: 1\n'],
      ['workers/w.md', `---\nname: w\nmodel: anthropic:claude-x\n${settings}\n---\nWork.\n`],
    ])
    const project = parseProject({ texts, toolFiles: [] })
    return 'policy' in project ? project.policy.workers.get('w') : undefined
  }
  const settings = { temperature: 0.2, maxOutputTokens: 8000, reasoning: 'medium', cache: false }
  const all = workerOf(`settings: ${JSON.stringify(settings)}`)
  expect(all?.settings).toEqual(settings)
  const none = { temperature: null, maxOutputTokens: null, reasoning: null, cache: true }
  expect(workerOf('')?.settings).toEqual(none)
  expect(all?.digest).not.toBe(workerOf('')?.digest)
})
