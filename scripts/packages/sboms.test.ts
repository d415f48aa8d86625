import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packageManifest } from './service-manifest.ts'
import { publishedPackages } from './packages.ts'
import { writeSboms } from './sboms.ts'

const root = join(import.meta.dirname, '..', '..')

interface Bom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly {
    readonly purl: string
    readonly hashes?: readonly { readonly alg: string }[]
  }[]
}

let folder: string
let files: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbom-'))
  files = await writeSboms(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5)

function readSbom(file = files[0] ?? ''): Promise<string> {
  return readFile(join(folder, file), 'utf8')
}

it('every package has a bill of materials that is valid CycloneDX and names the package', async () => {
  expect(files).toHaveLength(publishedPackages.length + 2)
  for (const file of files) {
    const text = await readSbom(file)
    expect(await validator.validate(text), file).toBeNull()
    const { metadata, components } = JSON.parse(text) as Bom
    expect(file).toContain(`-${metadata.component.version}`)
    // The packages have no dependencies; the wheel has one.
    const names = components.map(({ purl }) => purl)
    if (file !== files[0])
      expect(names).toEqual(file.includes('python') ? ['pkg:pypi/rfc8785'] : [])
  }
})

it('the bill of the service has each dependency at its pinned version with its hash', async () => {
  const text = await readSbom()
  const checkout = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { metadata, components } = JSON.parse(text) as Bom
  expect(metadata.component).toMatchObject({
    type: 'application',
    name: 'countersign',
    version: checkout.version,
  })
  const purls = components.map(({ purl }) => decodeURIComponent(purl))
  const { dependencies } = packageManifest(checkout) as { dependencies: Record<string, string> }
  const direct = Object.entries(dependencies).map(([name, version]) => `pkg:npm/${name}@${version}`)
  expect(direct.filter((purl) => !purls.includes(purl))).toEqual([])
  // The lock file has no hash of swc for machines of another kind than the one that wrote it.
  const unhashed = components.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512')
  expect(unhashed.filter(({ purl }) => !purl.includes('/core-'))).toEqual([])
  // Packages for building, testing and adapting are not installed with the service. The name of
  // this folder is not in the bill either.
  expect(
    purls.filter((purl) => /vitest|playwright|@mantine|@langchain|bedrock/.test(purl)),
  ).toEqual([])
  expect(text).not.toContain(root)
})

it('a bill with a field that the format does not have is refused by the same check', async () => {
  const bom = JSON.parse(await readSbom())
  expect(await validator.validate(JSON.stringify({ ...bom, specVersion: 15 }))).not.toBeNull()
})
