import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildUi, isUiBuilt } from '#runtime/supervisor/build-ui.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { bundleOfPackage, loadWorkflowBundle } from '#runtime/temporal/workflow-bundle.ts'
import {
  buildPackage,
  packageFolder,
  packFolder,
  repositoryMembers,
  type Tarball,
} from './packages.ts'
import { runStep } from '../testing/run-steps.ts'
import { packageManifest, type Manifest } from './service-manifest.ts'

const root = join(import.meta.dirname, '..', '..')

/** Files that are copied into the package unchanged. */
const copied = [
  'bin',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'schemas',
  'examples/delegation',
  'examples/quickstart',
  'examples/starter',
  'tools/temporal',
]

/** Names of files that a module starts as threads or processes. */
const named = /(new URL\(\s*'[^'\n]+)\.ts'/g

/**
 * Writes the package `countersign` into a folder, which is made: the service compiled to
 * JavaScript at the places that its sources have, the dashboard and the workflows built. Needs no
 * network.
 */
export async function stageService(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await compile(folder)
  if (!(await isUiBuilt())) await buildUi()
  await cp(join(root, 'dist', 'ui'), join(folder, 'dist', 'ui'), { recursive: true })
  const { code } = await loadWorkflowBundle(processEnvironment(), (line) => console.log(line))
  await writeFile(join(folder, bundleOfPackage), code)
  for (const name of copied) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  await buildPackage('tools')
  const types = join(folder, 'types')
  await cp(join(packageFolder('tools'), 'dist', 'esm'), types, {
    recursive: true,
    filter: (path) => !/\.js(\.map)?$/.test(path),
  })
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
  const text = `${JSON.stringify(packageManifest(manifest), null, 2)}\n`
  await writeFile(join(folder, 'package.json'), text)
}

/** Writes the tarball of the service into `out`. */
export async function packService(out: string, repository?: string): Promise<Tarball> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign package '))
  try {
    await stageService(folder)
    if (repository !== undefined) await nameRepository(folder, repository)
    return await packFolder(folder, out)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function nameRepository(folder: string, url: string): Promise<void> {
  const file = join(folder, 'package.json')
  const manifest: object = JSON.parse(await readFile(file, 'utf8'))
  const named = { ...manifest, ...repositoryMembers(url) }
  await writeFile(file, `${JSON.stringify(named, null, 2)}\n`)
}

async function compile(folder: string): Promise<void> {
  // The types are checked by `npm run verify`.
  const args = ['-p', join(root, 'tsconfig.package.json'), '--noCheck', '--outDir', folder]
  const { exitCode, output } = await runStep({ name: 'countersign', program: 'tsc', args })
  if (exitCode !== 0) throw new Error(output)
  for await (const name of glob('{src,packages}/**/*.js', { cwd: folder })) {
    const file = join(folder, name)
    const text = await readFile(file, 'utf8')
    if (named.test(text)) await writeFile(file, text.replaceAll(named, "$1.js'"))
  }
}
