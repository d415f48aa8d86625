import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adapterPackages } from './packages/packages.ts'

const root = join(import.meta.dirname, '..')
const maxLines = 100
const pythonAdapters = ['langchain', 'langgraph', 'openai_agents', 'pydantic_ai']

/** Lines of code: without blank ones, comments and the texts that document a function. */
function countLines(text: string): number {
  const code = text.replaceAll(/\/\*[^]*?\*\/|"""[^]*?"""/g, '')
  return code.split('\n').filter((line) => !/^\s*(?:\/\/.*|#.*)?$/.test(line)).length
}

test('an adapter has at most 100 lines of code: what adapters share is in the client', async () => {
  const pattern = `packages/{${adapterPackages.join(',')}}/src/*.ts`
  const files: string[] = []
  for await (const file of glob(pattern, { cwd: root })) files.push(file)
  expect(files.length).toBeGreaterThanOrEqual(adapterPackages.length)
  files.push(...pythonAdapters.map((name) => `packages/python/src/countersign/${name}.py`))
  for (const file of files) {
    const lines = countLines(await readFile(join(root, file), 'utf8'))
    expect.soft(lines, file).toBeLessThanOrEqual(maxLines)
  }
  // Other adapters have one kind of pause or process. These have two kinds of pauses (LangChain)
  // and three processes around a workflow (Temporal).
  const folders = Object.groupBy(files, (file) => file.split('/')[1] ?? '')
  const counts = Object.entries(folders).map(([name, found]) => [name, found?.length])
  expect(Object.fromEntries(counts)).toEqual({
    'ai-sdk': 1,
    'openai-agents': 1,
    langchain: 3,
    mastra: 1,
    temporal: 5,
    python: pythonAdapters.length,
  })
})

test('lines of code are counted without comments and blank lines', () => {
  expect(countLines('/** Why. */\nconst a = 1 // one\n\n// two\n  /*\n three */\nb()\n')).toBe(2)
  expect(countLines('"""Doc.\n\nMore."""\n\n# why\na = 1\n')).toBe(1)
})
