import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { newFolder } from '#test/harness/new-folder.ts'

interface Workflow {
  readonly on: object
  readonly jobs: {
    readonly publish: {
      readonly permissions: object
      readonly steps: readonly {
        readonly run?: string
        readonly uses?: string
        readonly with?: object
      }[]
    }
  }
}

const file = join(import.meta.dirname, '../../.github/workflows/release.yml')

test('a tag publishes what `npm run release` writes, with provenance and without a stored secret', async () => {
  const text = await readFile(file, 'utf8')
  const { on, jobs } = parse(text) as Workflow
  expect(on).toEqual({ push: { tags: ['v*'] } })
  // npm signs the provenance with the identity of the job.
  expect(jobs.publish.permissions).toMatchObject({ 'id-token': 'write' })
  expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/)
  const runs = jobs.publish.steps.flatMap(({ run }) => run ?? [])
  const release = runs.findIndex((run) => run.startsWith('npm run release -- --out dist/release '))
  // npm refuses provenance for a package that names another repository, or none.
  expect(runs[release]).toContain('--repository "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"')
  const publish = runs.findIndex((run) => run.includes('npm publish'))
  expect(runs[publish]).toMatch(/dist\/release\/\*\.tgz.* --provenance /s)
  expect(runs.indexOf('.ci/run')).toBeLessThan(release)
  expect(release).toBeLessThan(publish)
  const steps = jobs.publish.steps.map(({ run, uses }) => run ?? uses ?? '')
  const python = steps.findIndex((step) => step.startsWith('pypa/gh-action-pypi-publish@'))
  expect(steps.findIndex((step) => step.includes('npm publish'))).toBeLessThan(python)
  // A job that fails between the registries can be run again.
  expect(jobs.publish.steps[python]?.with).toEqual({
    'packages-dir': 'dist/python',
    'skip-existing': true,
  })
})

const pythonFiles = ['countersign_client-1.2.0-py3-none-any.whl', 'countersign_client-1.2.0.tar.gz']

/** Runs the steps after the packing for a tag, with programs that record how they are called. */
async function publish(tag: string, published: readonly string[]): Promise<readonly string[]> {
  const folder = newFolder('release ')
  const callLog = join(folder, 'said')
  const bin = join(folder, 'bin')
  await mkdir(join(folder, 'dist/release'), { recursive: true })
  await mkdir(join(folder, 'package'))
  await mkdir(bin)
  const programs = {
    npm: `case "$1 $2" in ${published.map((name) => `"view ${name}") echo 1; exit ;; `).join('')}view*) exit 1 ;; esac`,
    gh: 'case "$2" in view) exit 1 ;; esac',
  }
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\necho ${name} "$@" >> "${callLog}"\n`)
    await chmod(join(bin, name), 0o755)
  }
  for (const name of ['countersign', '@countersign/client']) {
    const manifest = JSON.stringify({ name, version: tag.slice(1) })
    await writeFile(join(folder, 'package/package.json'), manifest)
    const tarball = join('dist/release', `${name.replace('@', '').replace('/', '-')}.tgz`)
    await promisify(execFile)('tar', ['-czf', tarball, 'package'], { cwd: folder })
  }
  for (const name of pythonFiles) await writeFile(join(folder, 'dist/release', name), '')
  const { jobs } = parse(await readFile(file, 'utf8')) as Workflow
  const steps = jobs.publish.steps.flatMap(({ run }) => run ?? [])
  const first = steps.findIndex((run) => run.includes('npm publish'))
  const PATH = `${bin}${delimiter}${process.env['PATH']}`
  for (const step of steps.slice(first)) {
    const env = { PATH, GITHUB_REF_NAME: tag }
    // Runs a script as GitHub runs a step.
    await promisify(execFile)('bash', ['-e', '-c', step], { cwd: folder, env })
  }
  expect((await readdir(join(folder, 'dist/python'))).toSorted()).toEqual(pythonFiles)
  return (await readFile(callLog, 'utf8')).trim().split('\n')
}

test('a version before a release gets a tag of its own, and a failed job can be run again', async () => {
  const flags = '--provenance --access public --tag'
  const files = `${['countersign-client.tgz', 'countersign.tgz', ...pythonFiles]
    .map((name) => `dist/release/${name}`)
    .join(' ')} --clobber`
  expect(await publish('v1.2.0', [])).toEqual([
    `npm publish ./dist/release/countersign-client.tgz ${flags} latest`,
    `npm publish ./dist/release/countersign.tgz ${flags} latest`,
    'gh release create v1.2.0 --verify-tag --generate-notes',
    `gh release upload v1.2.0 ${files}`,
  ])
  expect(await publish('v1.2.0-rc.1', ['@countersign/client@1.2.0-rc.1'])).toEqual([
    `npm publish ./dist/release/countersign.tgz ${flags} next`,
    'gh release create v1.2.0-rc.1 --verify-tag --generate-notes --prerelease',
    `gh release upload v1.2.0-rc.1 ${files}`,
  ])
})
