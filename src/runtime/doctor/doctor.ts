import { checkAuditLog } from './check-audit-log.ts'
import { checkDataFolder } from './check-data-folder.ts'
import { checkDeliveries } from './check-deliveries.ts'
import { checkExecutions } from './check-executions.ts'
import { checkInstallation } from './check-installation.ts'
import { checkKeys } from './check-keys.ts'
import { checkMail } from './check-mail.ts'
import { checkMcpServers } from './check-mcp-servers.ts'
import { checkNode } from './check-node.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkProcesses } from './check-processes.ts'
import { checkProject } from './check-project.ts'
import { checkRole } from './check-role.ts'
import { checkRuns } from './check-runs.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkSignIn } from './check-sign-in.ts'
import { checkTemporal } from './check-temporal.ts'
import { checkTemporalBinary } from './check-temporal-binary.ts'
import type { Check, Finding, Patient } from './check.ts'

const CHECKS: readonly Check[] = [
  checkNode,
  checkDataFolder,
  checkProject,
  checkProcesses,
  checkPostgres,
  checkRole,
  checkTemporal,
  checkTemporalBinary,
  checkInstallation,
  checkKeys,
  checkAuditLog,
  checkDeliveries,
  checkSignIn,
  checkRuns,
  checkExecutions,
  checkSandbox,
  checkMcpServers,
  checkMail,
]

/** Everything that is known to go wrong, looked at once, in the order in which one would mend it. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const findings = await Promise.all(CHECKS.map((check) => check(patient)))
  return findings.flat()
}
