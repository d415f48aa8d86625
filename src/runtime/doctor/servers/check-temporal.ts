import { isTemporalHealthy } from '../../embedded/temporal-health.ts'
import { type Check, answeredFinding, answersWithinMs } from '../target/check.ts'

/** Temporal answers for its namespace. */
export const checkTemporal: Check = async ({ temporalAddress, temporalNamespace }) => {
  if (temporalAddress === null) {
    return [
      { check: 'temporal', state: 'ok', found: 'not running; "countersign start" brings its own' },
    ]
  }
  const startedAt = performance.now()
  if (await isTemporalHealthy(temporalAddress, temporalNamespace, answersWithinMs)) {
    const server = `Temporal at ${temporalAddress}, namespace ${temporalNamespace}`
    return [answeredFinding('temporal', server, performance.now() - startedAt)]
  }
  return [
    {
      check: 'temporal',
      state: 'problem',
      found: `Temporal at ${temporalAddress} does not answer for the namespace ${temporalNamespace}`,
      remedy:
        'decisions are recorded and carried out once it does: start it, check TEMPORAL_ADDRESS and ' +
        'TEMPORAL_NAMESPACE, or register the namespace (temporal operator namespace create)',
    },
  ]
}
