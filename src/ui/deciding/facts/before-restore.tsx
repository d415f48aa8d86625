import { Notice } from '../../states/notice.tsx'

/** Says that what was requested before a restore may have been carried out already. */
export function BeforeRestore() {
  return (
    <Notice tone="bad" title="It may have been carried out already">
      After this request was opened, the service was restored from an older copy of its database.
      Decisions and executions of the lost time are not known: check before you approve.
    </Notice>
  )
}
