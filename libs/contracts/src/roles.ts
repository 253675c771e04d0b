/** What a person may do with an account in the dashboard, each more than the one before: read; act; manage keys, people and signing. */
export const ROLES = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is at least another. */
export const isAtLeast = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);
