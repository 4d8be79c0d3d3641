-- Distributing the tables over the nodes of a Citus cluster: once, as the owner, on the coordinator, after `manage.py migrate`.
-- Why so, what it costs and what has to change with it: docs/adr/0014-citus.md. tests/integration/test_distribution.py runs
-- this file on the schema as it is, and finds no key and no foreign key left that Citus would refuse.
BEGIN;
-- Triggers go with their tables to the shards: ours read nothing but the row itself and reference tables.
SET LOCAL citus.enable_unsafe_triggers TO on;

-- 1. What has to change of the schema first: a ledger account is found by its owner, and no foreign key leads to it.
DO $$
DECLARE pointing record;
BEGIN
    FOR pointing IN
        SELECT conrelid::regclass AS from_table, conname FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'accounts_ledgeraccount'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', pointing.from_table, pointing.conname);
    END LOOP;
END $$;
ALTER TABLE accounts_ledgeraccount DROP CONSTRAINT accounts_ledgeraccount_pkey;
ALTER TABLE accounts_ledgeraccount ADD PRIMARY KEY (owner, id);

-- 2. Reference tables: small, written seldom, wanted by every node.
SELECT create_reference_table('accounts_user');
SELECT create_reference_table('accounts_person');
SELECT create_reference_table('accounts_agent');
SELECT create_reference_table('accounts_bettingpoint');
SELECT create_reference_table('accounts_till');
SELECT create_reference_table('pools_pool');
SELECT create_reference_table('core_clockoffset');

-- 3. By pool: what grows with bets. A bet, its money, what it won and what was paid of it lie on one node.
SELECT create_distributed_table('pools_bet', 'pool_id', colocate_with => 'none');
SELECT create_distributed_table('pools_betchunk', 'pool_id', colocate_with => 'pools_bet');
SELECT create_distributed_table('pools_winning', 'pool_id', colocate_with => 'pools_bet');
SELECT create_distributed_table('pools_correctedwinning', 'pool_id', colocate_with => 'pools_bet');
SELECT create_distributed_table('payouts_payable', 'pool_id', colocate_with => 'pools_bet');
SELECT create_distributed_table('payouts_payment', 'pool_id', colocate_with => 'pools_bet');
SELECT create_distributed_table('accounts_transfer', 'book', colocate_with => 'pools_bet');
SELECT create_distributed_table('accounts_entry', 'book', colocate_with => 'pools_bet');

-- 4. By owner: the counters of accounts.
SELECT create_distributed_table('accounts_ledgeraccount', 'owner', colocate_with => 'none');

-- 5. By themselves: rows that are only added and found again by their own key.
SELECT create_distributed_table('core_journalrecord', 'id', colocate_with => 'none');
SELECT create_distributed_table('core_replayedanswer', 'key_digest', colocate_with => 'none');

-- Every other table stays on the coordinator: people's acts, the public log, seals. They grow with days, not with bets.
COMMIT;
