import { changeableTrail } from '#store/migrating/application-role.ts'
import { applicationRole } from '../../embedded/postgres-address.ts'
import { readText } from '../../environment.ts'
import { askDatabase } from '../target/open-servers.ts'
import type { Check, Finding } from '../target/check.ts'

/** The service's own role can add to the trail and not change it (audit.md, Protection). */
export const checkRole: Check = (target) =>
  askDatabase<Finding>(target, async (db) => {
    const isOurs = readText(target.environment, 'DATABASE_URL') === undefined
    const changeable = await changeableTrail(db, isOurs ? applicationRole : null)
    if (changeable.length === 0) {
      return [
        { check: 'role', state: 'ok', found: 'the service can add to the trail, not change it' },
      ]
    }
    return [
      {
        check: 'role',
        state: 'warning',
        found: `the service's database role can change the trail (${changeable.join(', ')})`,
        remedy:
          'name another role in DATABASE_URL and the owner in COUNTERSIGN_MIGRATE_DATABASE_URL, and run "countersign ' +
          'migrate": docs/operations.md, the database\'s roles',
      },
    ]
  })
