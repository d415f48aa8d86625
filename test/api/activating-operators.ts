import type { ProjectFiles } from '#policy/policy.ts'
import { fixtureFiles, policyOf } from '../harness/fixtures/project.ts'
import { createTestApi, type TestApi } from './test-api.ts'

const files: ProjectFiles = {
  ...fixtureFiles,
  texts: new Map(
    [...fixtureFiles.texts].map(([path, text]) => [
      path,
      text.replace(
        'manageRuns: [operators]',
        'manageRuns: [operators]\n  activatePolicy: [operators]\n  managePeople: [operators]',
      ),
    ]),
  ),
}

/**
 * The API over the fixture project, in which the operators (Olga) may also activate policy and
 * disable people.
 */
export async function createApiWithActivators(
  options: Parameters<typeof createTestApi>[0] = {},
): Promise<TestApi> {
  const api = await createTestApi(options)
  const policy = policyOf(files)
  const { policies } = api.service.ctx
  const { inForce } = policies
  Object.assign(policies, {
    inForce: async (on: Parameters<typeof inForce>[0]) => {
      await inForce(on)
      return policy
    },
  })
  return api
}
