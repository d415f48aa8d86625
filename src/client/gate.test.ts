import { expectTypeOf, test } from 'vitest'
import type { ClaimedType } from '#domain/presentation.ts'
import type { ExternalOutcome } from '#domain/request.ts'
import type { AlreadyTakenError } from './errors.ts'
import type { GateCall } from './gate.ts'

test('the client, which imports nothing of the domain, has the same vocabularies', () => {
  type Presentation = NonNullable<GateCall['presentation']>
  expectTypeOf<Presentation['type']>().toEqualTypeOf<ClaimedType>()
  expectTypeOf<NonNullable<AlreadyTakenError['outcome']>>().toEqualTypeOf<ExternalOutcome>()
})
