import { expect, test } from 'vitest'
import { filesOfDocument, policyDigest, policyDocument } from './version-digest.ts'

test('a stored version is read alike in whatever order the store returns its keys', () => {
  const texts = { 'workers/a.md': 'a', 'countersign.yaml': 'b' }
  const document = {
    version: 1,
    files: texts,
    tools: { 'tools/z.ts': 'x', 'tools/deploy.ts': 'y' },
  }
  const turned = {
    tools: { 'tools/deploy.ts': 'y', 'tools/z.ts': 'x' },
    files: Object.fromEntries(Object.entries(texts).toReversed()),
    version: 1,
  }
  const files = filesOfDocument(document)
  expect(filesOfDocument(turned)).toEqual(files)
  expect([...files.texts.keys()]).toEqual(['countersign.yaml', 'workers/a.md'])
  expect(files.toolFiles.map(({ path }) => path)).toEqual(['tools/deploy.ts', 'tools/z.ts'])
  expect(policyDigest(filesOfDocument(turned))).toBe(policyDigest(files))
  expect(filesOfDocument(policyDocument(files))).toEqual(files)
})
