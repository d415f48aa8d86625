import { sendTestMail } from '../runtime/doctor/project/check-mail.ts'
import { examine } from '../runtime/doctor/doctor.ts'
import { findPatient } from '../runtime/doctor/find-patient.ts'
import { repair } from '../runtime/doctor/repair.ts'
import { withServers } from '../runtime/doctor/with-servers.ts'
import type { Finding } from '../runtime/doctor/check.ts'

export type DoctorOptions = {
  project?: string
  data?: string
  json?: boolean
  repair?: boolean
  mail?: string
}

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const

/** Examine the installation, after mending it when asked. Answers the exit code: 1 when something is wrong. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const patient = await findPatient(options)
  const findings = await withServers(
    patient,
    (line) => console.error(line),
    async (awake) => {
      const mended = options.repair === true ? await repair(awake) : []
      const tested = options.mail === undefined ? [] : [await sendTestMail(awake, options.mail)]
      return [...mended, ...(await examine(awake)), ...tested]
    },
  )
  if (options.json === true) console.log(JSON.stringify({ findings }, null, 2))
  else for (const finding of findings) print(finding)
  return findings.some((finding) => finding.state === 'problem') ? 1 : 0
}

function print(finding: Finding): void {
  console.log(`${MARKS[finding.state]} ${finding.check}: ${finding.found}`)
  if (finding.remedy !== undefined) console.log(`         ${finding.remedy}`)
}
