import type { ProjectFiles } from '../../src/policy/policy.ts'
import { fixtureFiles, policyOf } from '../harness/fixtures/project.ts'
import { createTestApi, type TestApi } from './test-api.ts'

const files: ProjectFiles = {
  ...fixtureFiles,
  texts: new Map(
    [...fixtureFiles.texts].map(([path, text]) => [
      path,
      text.replace(
        'manageRuns: [operators]',
        'manageRuns: [operators]\n  activatePolicy: [operators]',
      ),
    ]),
  ),
}

/** The API over the fixture project, in which the operators (Olga) may also activate policy and disable people. */
export async function createApiWithActivators(
  options: Parameters<typeof createTestApi>[0] = {},
): Promise<TestApi> {
  const api = await createTestApi(options)
  const policy = policyOf(files)
  Object.assign(api.service.ctx.policies, { inForce: async () => policy })
  return api
}
