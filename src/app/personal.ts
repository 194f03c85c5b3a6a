/**
 * What profile `personal` fills in: one tenant, one purpose, one group, one owner. The same rules as everywhere then apply (ATH-10).
 */
export const PERSONAL = {
  tenant: 'local',
  purpose: 'answer',
  group: 'library-readers',
  permissionsRef: 'library',
  owner: 'person:local',
} as const;

export const PERSONAL_PERMISSIONS: Readonly<Record<string, readonly string[]>> = { [PERSONAL.permissionsRef]: [PERSONAL.group] };
