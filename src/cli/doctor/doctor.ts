import { sendTestMail } from '#runtime/doctor/project/check-mail.ts'
import { examine } from '#runtime/doctor/doctor.ts'
import { findCheckTarget } from '#runtime/doctor/target/find-check-target.ts'
import { repair } from '#runtime/doctor/repair.ts'
import { withServers } from '#runtime/doctor/with-servers.ts'
import type { Finding } from '#runtime/doctor/target/check.ts'
import { jsonText } from '../terminal/json-text.ts'
import { printable } from '../text/terminal-text.ts'

export interface DoctorOptions {
  readonly project?: string
  readonly data?: string
  readonly json?: boolean
  readonly repair?: boolean
  readonly mail?: string
}

const stateMarks = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const

/**
 * Examines the installation, after a repair if one was requested. Resolves with the exit code: 1 if
 * there is a problem.
 */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const target = await findCheckTarget(options)
  const findings = await withServers(
    target,
    (line) => console.error(line),
    async (awake) => {
      const repairs = options.repair === true ? await repair(awake) : []
      const mailTests = options.mail === undefined ? [] : [await sendTestMail(awake, options.mail)]
      return [...repairs, ...(await examine(awake)), ...mailTests]
    },
  )
  if (options.json === true) console.log(jsonText({ findings }, 2))
  else for (const finding of findings) print(finding)
  return findings.some((finding) => finding.state === 'problem') ? 1 : 0
}

function print(finding: Finding): void {
  console.log(printable(`${stateMarks[finding.state]} ${finding.check}: ${finding.found}`))
  if (finding.remedy !== undefined) console.log(printable(`         ${finding.remedy}`))
}
