import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly on: object
  readonly jobs: {
    readonly publish: {
      readonly permissions: object
      readonly steps: readonly { readonly run?: string }[]
    }
  }
}

test('a tag publishes what `npm run release` writes, with provenance and without a stored secret', async () => {
  const file = join(import.meta.dirname, '../../.github/workflows/release.yml')
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
  expect(runs[publish]).toMatch(/dist\/release\/\*\.tgz.* --provenance /)
  expect(runs.indexOf('.ci/run')).toBeLessThan(release)
  expect(release).toBeLessThan(publish)
})
