import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packPackages } from '../../../scripts/packages/packages.ts'
import { packService } from '../../../scripts/packages/service-package.ts'
import { runProgram } from '../../packages/packed.ts'

const cwd = join(import.meta.dirname, '../../..')

let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'countersign workspaces '))
})
afterAll(() => rm(out, { recursive: true }))

/** The files of each tarball in a folder, by the name of the tarball. */
async function contents(folder: string): Promise<Record<string, string[]>> {
  const tarballs = await readdir(folder)
  const listed = tarballs.map(async (name) => {
    const { stdout } = await runProgram('tar', ['-tf', join(folder, name)])
    return [name, stdout.trim().split('\n').toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(listed))
}

test('`npm pack --workspace` builds each package first, and packs what a release has; it leaves no trace', async () => {
  const [packed, released] = [join(out, 'packed'), join(out, 'released')]
  const { stdout } = await runProgram('npm', ['query', '.workspace'], { cwd })
  const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  const workspaces = names.flatMap((name) => ['--workspace', name])
  const repository = 'https://github.com/acme/countersign'
  await packPackages(released, repository)
  await packService(released, repository)
  await mkdir(packed)
  await runProgram('npm', ['pack', '--pack-destination', packed, ...workspaces], { cwd })
  const ofRelease = await contents(released)
  expect(Object.keys(ofRelease)).toHaveLength(names.length)
  // npm publishes with provenance only what names the repository of the job.
  for (const tarball of Object.keys(ofRelease)) {
    const args = ['-xOf', join(released, tarball), 'package/package.json']
    const manifest = JSON.parse((await runProgram('tar', args)).stdout)
    const url = 'git+https://github.com/acme/countersign.git'
    expect(manifest.repository).toMatchObject({ type: 'git', url })
  }
  expect(await contents(packed)).toEqual(ofRelease)
  expect((await readdir(join(cwd, 'packages/service'))).toSorted()).toEqual([
    '.gitignore',
    'package.json',
  ])
})

test('`npm pack` in the checkout packs no sources, and says how a package is made', async () => {
  const refused = await runProgram('npm', ['pack', '--pack-destination', out], { cwd }).catch(
    (error: { stderr: string }) => error,
  )
  expect(refused.stderr).toContain('npm pack --workspace countersign')
})
