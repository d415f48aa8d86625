import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'
import { putFile } from '#test/harness/put-file.ts'
import { packagesBehind } from './reachable-packages.ts'

// Rules: security.md 36
test('the dependencies of a package are never left out because too many files are open', () => {
  const folder = newFolder('packages-')
  putFile(folder, 'node_modules/pack/package.json', '{"dependencies":{"deep":"1"}}')
  putFile(folder, 'node_modules/deep/index.js', 'deep')
  const start = { name: 'pack', from: folder }
  expect(packagesBehind([start])).toHaveLength(2)
  const module = new URL('reachable-packages.ts', import.meta.url).href
  const imports = `import { packagesBehind } from '${module}'`
  const work = `packagesBehind([${JSON.stringify(start)}])`
  expect(withoutDescriptors(imports, work)).toMatch(/^Error: EMFILE: too many open files/)
})
