import { checkAuditLog } from './records/check-audit-log.ts'
import { checkDataFolder } from './host/check-data-folder.ts'
import { checkDeliveries } from './records/check-deliveries.ts'
import { checkExecutions } from './records/check-executions.ts'
import { checkInstallation } from './servers/check-installation.ts'
import { checkKeys } from './records/check-keys.ts'
import { checkMail } from './project/check-mail.ts'
import { checkMcpServers } from './project/check-mcp-servers.ts'
import { checkNode, checkSandbox, checkTemporalBinary } from './host/check-programs.ts'
import { checkPostgres } from './servers/check-postgres.ts'
import { checkProcesses } from './host/check-processes.ts'
import { checkProject } from './project/check-project.ts'
import { checkRole } from './servers/check-role.ts'
import { checkRuns } from './records/check-runs.ts'
import { checkWitnesses } from './records/check-witnesses.ts'
import { checkSignatures } from './project/check-signatures.ts'
import { checkSignIn } from './project/check-sign-in.ts'
import { checkTemporal } from './servers/check-temporal.ts'
import type { Check, Finding, CheckTarget } from './target/check.ts'

const checks: readonly Check[] = [
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
  checkWitnesses,
  checkDeliveries,
  checkSignIn,
  checkSignatures,
  checkRuns,
  checkExecutions,
  checkSandbox,
  checkMcpServers,
  checkMail,
]

/** Runs all checks once, in the order in which one would fix their findings. */
export async function examine(target: CheckTarget): Promise<Finding[]> {
  const findings = await Promise.all(checks.map((check) => check(target)))
  return findings.flat()
}
