import { Problem } from '#domain/problem.ts'

/** The refusal of a start that was judged by a version which is no longer in force. */
export class PolicyChanged extends Problem {
  constructor() {
    super(
      'conflict',
      'Another policy version was activated while this start was judged, so nothing was started. Send it again: it is then judged by the version in force',
    )
  }
}
